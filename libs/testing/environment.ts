import { rm } from 'node:fs/promises';
import { TestEnvironment } from 'jest-environment-node';

/** Node, without the temporary directories of a test file once its last hook has run. */
export default class Environment extends TestEnvironment {
  private readonly temporaryDirectories: string[] = [];

  override async setup(): Promise<void> {
    await super.setup();
    this.global['temporaryDirectories'] = this.temporaryDirectories;
  }

  override async teardown(): Promise<void> {
    // A process that was killed a moment ago may still write there.
    const options = { recursive: true, force: true, maxRetries: 5 };
    await Promise.all(this.temporaryDirectories.map((path) => rm(path, options)));
    await super.teardown();
  }
}
