import type { DownloadUrls } from './download-urls';
import type { ServedBuild } from './served-builds';

interface Bodies {
  readonly expires: number;
  optional?: string;
  mandatory?: string;
}

/** The bodies that offer a build, made once for each step of the expiry. */
export class UpdateAnswers {
  private readonly bodies = new WeakMap<ServedBuild, Bodies>();

  constructor(private readonly urls: DownloadUrls) {}

  /** JSON text (spec 4, updates/check). */
  body(build: ServedBuild, mandatory: boolean): string {
    const expires = this.urls.expiry();
    let bodies = this.bodies.get(build);
    if (bodies?.expires !== expires) {
      bodies = { expires };
      this.bodies.set(build, bodies);
    }
    const kind = mandatory ? 'mandatory' : 'optional';
    return (bodies[kind] ??= this.serialise(build, mandatory, expires));
  }

  private serialise({ facts }: ServedBuild, mandatory: boolean, expires: number): string {
    return JSON.stringify({
      available: true,
      version: facts.version,
      bundleId: facts.bundleId,
      downloadUrl: this.urls.sign(facts, expires),
      checksum: facts.checksum,
      signature: facts.signature,
      size: facts.size,
      mandatory,
      releaseNotes: facts.releaseNotes,
      minNativeVersion: facts.minNativeVersion,
      expiresAt: new Date(expires).toISOString(),
    });
  }
}
