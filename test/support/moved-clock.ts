import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';

/** The clock of started servers, which a test moves forward. */
export class MovedClock {
  private readonly file = join(temporaryDirectory(), 'ahead');
  private aheadMs = 0;

  constructor() {
    this.advance(0);
  }

  /** For the servers. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--require ${join(__dirname, 'moved-clock.cjs')}`, MOVED_CLOCK: this.file };
  }

  /** Milliseconds since the epoch, as the servers see them. */
  now(): number {
    return Date.now() + this.aheadMs;
  }

  advance(milliseconds: number): void {
    this.aheadMs += milliseconds;
    // A server that reads it meanwhile must not see an empty file.
    writeFileSync(`${this.file}.new`, String(this.aheadMs));
    renameSync(`${this.file}.new`, this.file);
  }
}
