interface MeasuredRecord {
  kind: string;
  name: string;
  commit?: string;
}
export const RECORDS: Record<string, { file: string; command: string }>;
export const COMMENT: string;
export function partsOf(kind: string, name?: string): string[];
export function hasHistory(): boolean;
export function isInHistory(commit: string): boolean;
export function allRecords(): MeasuredRecord[];
export function oldRecordsSection(): string;
export function sectionIn(page: string): string;
