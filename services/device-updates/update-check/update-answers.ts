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
  /** That name a native version too, by this one. */
  readonly withNativeUpdate: Map<string, Pick<Offers, 'optional' | 'mandatory'>>;
}

interface Answers {
  readonly expires: number;
  readonly manifest: SignedStatement | undefined;
  readonly bundleSignatures: readonly KeySignature[] | undefined;
  /** By the channel's state that they carry: one for each platform. */
  readonly offers: Map<ServedState | undefined, Offers>;
}

/** Native versions that responses name, kept at a time: builds have few of them. */
const REMEMBERED_MINIMA = 1_000;
const NOTHING_NEW = { available: false, message: 'No updates available' };
export const NO_UPDATE = prepareAnswer(200, NOTHING_NEW);
/** The channel that the device names was removed. */
export const CHANNEL_CLOSED = prepareAnswer(200, { ...NOTHING_NEW, channelClosed: true });
const TO_EMBEDDED = { ...NOTHING_NEW, rollBackToEmbedded: true };
const NO_UPDATE_TO_EMBEDDED = prepareAnswer(200, TO_EMBEDDED);
const nativeMembers = (minimum: string | undefined) =>
  minimum === undefined ? {} : { nativeUpdateRequired: { minimum } };

/** The responses to update checks, each made once for as long as nothing of it changes. */
@Injectable()
export class UpdateAnswers {
  private readonly answers = new WeakMap<ServedBuild, Answers>();
  /** Without a signed state, by the native version that they name. */
  private readonly nativeUpdates = new Map<string, PreparedAnswer>();

  constructor(
    private readonly urls: DownloadUrls,
    private readonly statements: SignedStatements,
  ) {}

  /**
   * Nothing is newer than what the device runs. `toEmbedded`: and that is to be replaced by the bundle in the native app.
   * `minimum`: the native version that would get the device a newer build.
   */
  nothing(
    appId: number,
    channel: Channel,
    platform: StatedPlatform,
    toEmbedded = false,
    minimum?: string,
  ): PreparedAnswer {
    const state = this.statements.has(appId) ? this.statements.state(appId, channel, platform) : undefined;
    if (minimum !== undefined) return this.nothingBut(minimum, toEmbedded, state);
    if (toEmbedded) {
      if (state === undefined) return NO_UPDATE_TO_EMBEDDED;
      return (state.toEmbedded ??= prepareAnswer(200, { ...TO_EMBEDDED, ...stateMembers(state) }));
    }
    if (state === undefined) return NO_UPDATE;
    return (state.nothing ??= prepareAnswer(200, { ...NOTHING_NEW, ...stateMembers(state) }));
  }

  private nothingBut(minimum: string, toEmbedded: boolean, state: ServedState | undefined): PreparedAnswer {
    const known =
      state === undefined ? this.nativeUpdates : (state.nativeUpdates ??= new Map<string, PreparedAnswer>());
    const key = toEmbedded ? `${minimum} embedded` : minimum;
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= REMEMBERED_MINIMA) known.clear();
    const told = { ...(toEmbedded ? TO_EMBEDDED : NOTHING_NEW), ...nativeMembers(minimum) };
    const answer = prepareAnswer(200, state === undefined ? told : { ...told, ...stateMembers(state) });
    known.set(key, answer);
    return answer;
  }

  /** Carries the manifest and the channel's state as far as they are signed for what it offers. */
  offer(build: ServedBuild, mandatory: boolean, platform: StatedPlatform, minimum?: string): PreparedAnswer {
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
    if (offers === undefined) answers.offers.set(state, (offers = { withNativeUpdate: new Map() }));
    const kind = mandatory ? 'mandatory' : 'optional';
    if (minimum === undefined) return (offers[kind] ??= this.prepareOffer(build, mandatory, answers, state));
    const { withNativeUpdate: known } = offers;
    let withMinimum = known.get(minimum);
    if (withMinimum === undefined) {
      if (known.size >= REMEMBERED_MINIMA) known.clear();
      known.set(minimum, (withMinimum = {}));
    }
    return (withMinimum[kind] ??= this.prepareOffer(build, mandatory, answers, state, minimum));
  }

  private prepareOffer(
    { facts, nativeRange, fingerprint, platform }: ServedBuild,
    mandatory: boolean,
    { expires, manifest, bundleSignatures }: Answers,
    state: ServedState | undefined,
    minimum?: string,
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
      ...(nativeRange !== undefined && { nativeRange: nativeRange.canonical }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(platform !== undefined && { platform }),
      ...nativeMembers(minimum),
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
