/** strftime of Python in its locale "C", for templates that write today's date. */
import { TemplateRefused } from "./refused.js";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["January", "February", "March", "April", "May", "June"].concat([
  ...["July", "August", "September", "October", "November", "December"],
]);

const padded = (value: number, size = 2) => String(value).padStart(size, "0");
const dayOfYear = (date: Date) =>
  Math.round(
    (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 0)) / 864e5,
  );

const PARTS: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getFullYear()),
  y: (date) => padded(date.getFullYear() % 100),
  m: (date) => padded(date.getMonth() + 1),
  d: (date) => padded(date.getDate()),
  e: (date) => String(date.getDate()).padStart(2, " "),
  j: (date) => padded(dayOfYear(date), 3),
  H: (date) => padded(date.getHours()),
  I: (date) => padded(date.getHours() % 12 || 12),
  M: (date) => padded(date.getMinutes()),
  S: (date) => padded(date.getSeconds()),
  p: (date) => (date.getHours() < 12 ? "AM" : "PM"),
  A: (date) => DAYS[date.getDay()]!,
  a: (date) => DAYS[date.getDay()]!.slice(0, 3),
  B: (date) => MONTHS[date.getMonth()]!,
  b: (date) => MONTHS[date.getMonth()]!.slice(0, 3),
  "%": () => "%",
};

/** @throws TemplateRefused for a letter that is not among the parts above. */
export function strftime(format: string, date: Date): string {
  return format.replace(/%(-?)(.?)/gs, (_, minus: string, letter: string) => {
    const part = Object.hasOwn(PARTS, letter) ? PARTS[letter]!(date) : undefined;
    if (part === undefined) throw new TemplateRefused(`strftime_now has no %${minus}${letter}`);
    return minus ? part.replace(/^0+(?=.)/, "") : part;
  });
}
