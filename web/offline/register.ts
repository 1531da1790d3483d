import { signal } from "@preact/signals";

/** A newer build that is wholly there and waits to take over. */
export const waiting = signal<ServiceWorker | undefined>(undefined);

function watch(registration: ServiceWorkerRegistration): void {
  // Without a controller this is the first visit: nothing is old.
  const offer = () => {
    if (registration.waiting && navigator.serviceWorker.controller) waiting.value = registration.waiting;
  };
  offer();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", offer);
  });
}

/** Once the page is idle: what it shows must not wait for what a later visit needs. */
export function keepForOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  const register = async () => {
    try {
      watch(await navigator.serviceWorker.register("./service-worker.js"));
    } catch {
      // Pages without https, or a browser that keeps nothing: the site then needs its network.
    }
  };
  if (document.readyState === "complete") void register();
  else addEventListener("load", () => void register(), { once: true });
}

/** The newer build takes over, and the page begins anew with it; the address restores the page. */
export function takeOver(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting.value?.postMessage("take over");
}
