import type { Environment } from './environment.js';
import type { OutboxEntry } from './outbox-entry.js';

const STATUSES = new Set(['pending', 'sending', 'uncertain', 'failed']);

/** Keeps the outbox for a tab that is reloaded. What cannot be kept is reported, and lives until the page goes. */
export class OutboxStore {
  constructor(
    private readonly environment: Environment,
    private readonly name: string,
  ) {}

  /** What was not answered before the reload; what was being sent then is uncertain. */
  load(): OutboxEntry[] {
    try {
      const text = this.environment.storage?.getItem(this.name);
      const entries: unknown = text ? JSON.parse(text) : [];
      return Array.isArray(entries) ? entries.filter(isEntry).map(interrupted) : [];
    } catch (error) {
      this.environment.report(error);
      return [];
    }
  }

  save(entries: readonly OutboxEntry[]): void {
    try {
      if (entries.length === 0) {
        this.environment.storage?.removeItem(this.name);
      } else {
        this.environment.storage?.setItem(this.name, JSON.stringify(entries));
      }
    } catch (error) {
      this.environment.report(error);
    }
  }
}

function isEntry(value: unknown): value is OutboxEntry {
  const entry = value as Partial<OutboxEntry> | null;
  return (
    typeof entry === 'object' &&
    entry !== null &&
    typeof entry.key === 'string' &&
    (entry.kind === 'send' || entry.kind === 'interrupt') &&
    (entry.session === null || typeof entry.session === 'string') &&
    typeof entry.turn === 'object' &&
    typeof entry.status === 'string' &&
    STATUSES.has(entry.status)
  );
}

function interrupted(entry: OutboxEntry): OutboxEntry {
  return entry.status === 'sending' ? { ...entry, status: 'uncertain' } : entry;
}
