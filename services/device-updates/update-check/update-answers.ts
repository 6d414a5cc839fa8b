import { Injectable } from '@nestjs/common';
import type { Channel } from '@sluice/contracts';
import { statedManifest, type StatedPlatform } from '../signing/domain/statements';
import {
  validityOf,
  type KeySignature,
  type ServedState,
  type SignedStatement,
  SignedStatements,
} from '../signing/signed-statements';
import { DownloadUrls } from '../downloads/download-urls';
import { prepareAnswer, type PreparedAnswer } from '../serving/prepared-answer';
import type { ServedBuild } from '../serving/served-builds';

/** Responses that offer one build, by whether it is mandatory. */
interface Offers {
  optional?: PreparedAnswer;
  mandatory?: PreparedAnswer;
}

interface Answers {
  readonly expires: number;
  readonly manifest: SignedStatement | undefined;
  readonly bundleSignatures: readonly KeySignature[] | undefined;
  /** By the channel's state that they carry: one for each platform. */
  readonly offers: Map<ServedState | undefined, Offers>;
}

const NOTHING_NEW = { available: false, message: 'No updates available' };
export const NO_UPDATE = prepareAnswer(200, NOTHING_NEW);
const TO_EMBEDDED = { ...NOTHING_NEW, rollBackToEmbedded: true };
const NO_UPDATE_TO_EMBEDDED = prepareAnswer(200, TO_EMBEDDED);

/** The responses to update checks, each made once for as long as nothing of it changes. */
@Injectable()
export class UpdateAnswers {
  private readonly answers = new WeakMap<ServedBuild, Answers>();

  constructor(
    private readonly urls: DownloadUrls,
    private readonly statements: SignedStatements,
  ) {}

  /** Nothing is newer than what the device runs. `toEmbedded`: and that is to be replaced by the bundle in the native app. */
  nothing(appId: number, channel: Channel, platform: StatedPlatform, toEmbedded = false): PreparedAnswer {
    const state = this.statements.has(appId) ? this.statements.state(appId, channel, platform) : undefined;
    if (toEmbedded) {
      if (state === undefined) return NO_UPDATE_TO_EMBEDDED;
      return (state.toEmbedded ??= prepareAnswer(200, { ...TO_EMBEDDED, ...stateMembers(state) }));
    }
    if (state === undefined) return NO_UPDATE;
    return (state.nothing ??= prepareAnswer(200, { ...NOTHING_NEW, ...stateMembers(state) }));
  }

  /** Carries the manifest and the channel's state as far as they are signed for what it offers. */
  offer(build: ServedBuild, mandatory: boolean, platform: StatedPlatform): PreparedAnswer {
    const expires = this.urls.expiry();
    const { statements } = this;
    const { appId, channel } = build.facts;
    const signed = statements.has(appId);
    const manifest = signed ? statements.manifest(build) : undefined;
    const bundleSignatures = signed ? statements.bundleSignatures(build) : undefined;
    const state = signed ? statements.state(appId, channel, platform) : undefined;
    let answers = this.answers.get(build);
    if (
      answers?.expires !== expires ||
      answers.manifest !== manifest ||
      answers.bundleSignatures !== bundleSignatures
    ) {
      answers = { expires, manifest, bundleSignatures, offers: new Map() };
      this.answers.set(build, answers);
    }
    let offers = answers.offers.get(state);
    if (offers === undefined) answers.offers.set(state, (offers = {}));
    const kind = mandatory ? 'mandatory' : 'optional';
    return (offers[kind] ??= this.prepareOffer(build, mandatory, answers, state));
  }

  private prepareOffer(
    { facts }: ServedBuild,
    mandatory: boolean,
    { expires, manifest, bundleSignatures }: Answers,
    state: ServedState | undefined,
  ): PreparedAnswer {
    // The two stores may come from different backups: what contradicts the offer is never sent.
    const stated = manifest !== undefined && manifest.text === statedManifest(facts, validityOf(manifest));
    return prepareAnswer(200, {
      available: true,
      version: facts.version,
      bundleId: facts.bundleId,
      downloadUrl: this.urls.sign(facts, expires),
      checksum: facts.checksum,
      signature: bundleSignatures?.[0]?.signature ?? facts.signature,
      size: facts.size,
      mandatory,
      releaseNotes: facts.releaseNotes,
      minNativeVersion: facts.minNativeVersion,
      expiresAt: new Date(expires).toISOString(),
      ...(bundleSignatures !== undefined && { signatures: bundleSignatures }),
      ...(stated && {
        manifest: manifest.text,
        manifestSignature: manifest.signatures[0]?.signature,
        ...(manifest.signatures.length > 1 && { manifestSignatures: manifest.signatures }),
      }),
      ...(state !== undefined && stateMembers(state)),
    });
  }
}

function stateMembers({ statement: { text, signatures } }: ServedState): object {
  return {
    channelState: text,
    channelStateSignature: signatures[0]?.signature,
    ...(signatures.length > 1 && { channelStateSignatures: signatures }),
  };
}
