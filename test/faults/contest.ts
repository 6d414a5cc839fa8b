import { sha256, type UploadAnswer } from '../support/http';
import { zipOf } from '../support/zip';
import type { Client, Outcome } from './client';

export interface ContestedBuild {
  readonly id: number;
  readonly version: string;
  readonly checksum: string;
  readonly status: string;
}

/** An app on which all writers upload the same versions at the same time: one of each may win. */
export class Contest {
  readonly bundleId = 'com.example.contested';
  private round = 1;
  /** By version: what was sent, and which was acknowledged. */
  private readonly sent = new Map<string, Set<string>>();
  private readonly won = new Map<string, { readonly id: number; readonly checksum: string }>();

  /** @throws Error when a version is acknowledged that another upload was given already */
  async enter(client: Client, writer: string): Promise<Outcome<UploadAnswer>> {
    const { round } = this;
    const version = `1.${round}.0`;
    const bundle = await zipOf({ 'index.html': `${version} by ${writer}` });
    const checksum = sha256(bundle);
    this.sent.set(version, (this.sent.get(version) ?? new Set()).add(checksum));
    const outcome = await client.upload<UploadAnswer>(
      `/apps/${this.bundleId}/builds`,
      bundle,
      { version, channel: 'production' },
      ['VERSION_ALREADY_EXISTS', 'VERSION_NOT_NEWER'],
    );
    const decided = outcome.kind !== 'unanswered' && !(outcome.kind === 'refused' && outcome.code === 'UPLOAD_FAILED');
    if (decided) this.round = Math.max(this.round, round + 1);
    if (outcome.kind !== 'acknowledged') return outcome;
    if (this.won.has(version)) throw new Error(`The contested version ${version} was given twice.`);
    this.won.set(version, { id: outcome.body.data.build.id, checksum });
    return outcome;
  }

  /** @throws Error when a winner is missing, a version is there twice, or something that no client sent */
  compare(builds: readonly ContestedBuild[]): void {
    const byVersion = new Map(builds.map((build) => [build.version, build]));
    if (byVersion.size !== builds.length)
      throw new Error(`A contested version is there twice: ${JSON.stringify(builds)}`);
    for (const [version, { id, checksum }] of this.won) {
      const build = byVersion.get(version);
      if (build?.id !== id || build.checksum !== checksum) {
        throw new Error(`Build ${id}, acknowledged as the contested ${version}, is ${JSON.stringify(build)}.`);
      }
    }
    for (const { version, checksum, status } of builds) {
      if (!this.sent.get(version)?.has(checksum))
        throw new Error(`No client sent the contested ${version}, ${checksum}.`);
      if (status !== 'active') throw new Error(`The contested ${version} is ${status}.`);
    }
  }
}
