interface Tried {
  commit: string;
  date: string;
  machine: string;
  /** Of the minute before; missing in older records. */
  load?: number;
}
interface FuzzTarget extends Tried {
  minutes: number;
  seeds: number;
  executions: number;
  /** Edges of the code; missing where nothing counts them. */
  reached?: number;
  broken: boolean;
}
interface Suite extends Tried {
  passed: number;
  failed: number;
  skipped: number;
}
interface HostsRun extends Tried {
  tried: number;
  passed: number;
  failed: number;
  missing: number;
  typescript: number;
}
interface InstallCheck extends Tried {
  passed: boolean;
  /** Versions and counts; missing where it failed. */
  detail?: string;
}
export interface TrustResults {
  fuzz?: Record<string, FuzzTarget>;
  sanitize?: Record<string, Suite>;
  neon?: Record<string, Suite>;
  hosts?: { hosts?: HostsRun };
  install?: Record<string, InstallCheck>;
}
export const FUZZ_TARGETS: Record<string, string>;
export const SANITIZED_SUITES: Record<string, string>;
export const INSTALL_CHECKS: Record<string, string>;
export const NEON_SUITES: Record<string, string>;
export function about(kind: string, name?: string): Required<Tried>;
export function trustPage(results: TrustResults, old?: string): string;
