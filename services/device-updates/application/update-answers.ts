import type { DownloadUrls } from './download-urls';
import { prepareAnswer, type PreparedAnswer } from './prepared-answer';
import type { ServedBuild } from './served-builds';

interface Answers {
  readonly expires: number;
  optional?: PreparedAnswer;
  mandatory?: PreparedAnswer;
}

export const NO_UPDATE = prepareAnswer(200, { available: false, message: 'No updates available' });

/** The answers that offer a build, made once for each step of the expiry. */
export class UpdateAnswers {
  private readonly answers = new WeakMap<ServedBuild, Answers>();

  constructor(private readonly urls: DownloadUrls) {}

  /** Spec 4, updates/check. */
  offer(build: ServedBuild, mandatory: boolean): PreparedAnswer {
    const expires = this.urls.expiry();
    let answers = this.answers.get(build);
    if (answers?.expires !== expires) {
      answers = { expires };
      this.answers.set(build, answers);
    }
    const kind = mandatory ? 'mandatory' : 'optional';
    return (answers[kind] ??= this.prepareOffer(build, mandatory, expires));
  }

  private prepareOffer({ facts }: ServedBuild, mandatory: boolean, expires: number): PreparedAnswer {
    return prepareAnswer(200, {
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
