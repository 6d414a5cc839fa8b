import { rm } from 'node:fs/promises';
import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';

/** Node, with a deadline for `eventually`, and without a file's temporary directories once its last hook has run. */
export default class Environment extends TestEnvironment {
  private readonly temporaryDirectories: string[] = [];

  override async setup(): Promise<void> {
    await super.setup();
    this.global['temporaryDirectories'] = this.temporaryDirectories;
  }

  readonly handleTestEvent = (event: Circus.AsyncEvent | Circus.SyncEvent, state: Circus.State): void => {
    if (event.name !== 'test_fn_start' && event.name !== 'hook_start') return;
    const { timeout } = event.name === 'hook_start' ? event.hook : event.test;
    this.global['testEndsAt'] = performance.now() + (timeout ?? state.testTimeout);
  };

  override async teardown(): Promise<void> {
    // A process that was killed a moment ago may still write there.
    const options = { recursive: true, force: true, maxRetries: 5 };
    await Promise.all(this.temporaryDirectories.map((path) => rm(path, options)));
    await super.teardown();
  }
}
