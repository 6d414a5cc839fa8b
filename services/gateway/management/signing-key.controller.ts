import { Inject } from '@nestjs/common';
import {
  countDevicesBySigner,
  countedSigningKeySchema,
  createSigningKey,
  getSigningKey,
  listSigningKeys,
  retireSigningKey,
  rotateSigningKey,
  type CountedSigningKey,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { z } from 'zod';
import { pageOfMany } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes, ofApp } from '../http/route';
import { unlessUnavailable } from '@sluice/kernel';
import { rotateSigningKeyBody, signingKeyBody } from './schemas';

/** Making a key takes as long as it takes to find two large primes, and others may be made before it. */
const CREATION = { limit: 'keyActionsOfSigningKey', changesSigningKeys: true, timeoutMs: 30_000 } as const;
/** Counting the devices of a large fleet takes seconds; the keys are listed without it, too. */
const COUNT_PATIENCE = { timeoutMs: 3_000 };

@Routes('Signing key', 'With it the server signs the bundles of an app. The private half never leaves the server.')
export class SigningKeyController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @ManagementRoute('GET', 'apps/:app/signing-key', {
    summary: 'The public key, if there is one',
    call: getSigningKey,
    raw: true,
    answers: { 200: 'The key, or that there is none.' },
  })
  getSigningKey = ofApp;

  @ManagementRoute('POST', 'apps/:app/signing-key', {
    ...CREATION,
    summary: 'Make a signing key',
    body: signingKeyBody,
    call: createSigningKey,
    answers: { 201: 'The new key.' },
  })
  createSigningKey = ({ app }: RequestContext, wish: z.output<typeof signingKeyBody>) => ({ ...wish, appId: app.id });

  @ManagementRoute('POST', 'apps/:app/signing-key/rotate', {
    ...CREATION,
    summary: 'Make a new signing key the active one',
    description:
      'The former key goes on signing, so that installed apps, which trust it alone, go on verifying: `signature` is of the oldest such key until it is retired. With expected_fingerprint nothing changes unless the active key has it.',
    body: rotateSigningKeyBody,
    call: rotateSigningKey,
    answers: { 200: 'The new key.' },
  })
  rotateSigningKey({ app }: RequestContext, body: z.output<typeof rotateSigningKeyBody>) {
    const { expected_fingerprint: expectedFingerprint, ...wish } = body;
    return { ...wish, expectedFingerprint, appId: app.id };
  }

  @ManagementRoute('GET', 'apps/:app/signing-keys', {
    summary: 'Every signing key, newest first',
    description:
      'The active one, former ones that still sign, and retired ones. `devices` counts those that last reported a version which was first signed while the key was the newest: before a former key is retired, these need an update. Versions with a supplied signature are not counted. It is null while the device plane does not answer.',
    query: [pageQuery],
    answers: { 200: pageOfMany(countedSigningKeySchema) },
  })
  async listSigningKeys({ app, caller }: RequestContext, page: z.output<typeof pageQuery>) {
    const { items, total } = await this.messaging.request(listSigningKeys, { ...page, appId: app.id }, caller);
    const keys = items.map(({ created_at: createdAt, superseded_at: supersededAt }) => ({ createdAt, supersededAt }));
    const asked = { appId: app.id, keys };
    const counted = await unlessUnavailable(
      this.messaging.request(countDevicesBySigner, asked, caller, COUNT_PATIENCE),
    );
    return {
      items: items.map((key, at): CountedSigningKey => ({ ...key, devices: counted?.counts[at] ?? null })),
      total,
    };
  }

  @ManagementRoute('POST', 'apps/:app/signing-keys/:key/retire', {
    changesSigningKeys: true,
    summary: 'Retire a former signing key, for good and at once',
    description:
      'Its private half is deleted. Installed apps that trust this key alone accept no build that is signed from then on. Repeating it changes nothing.',
    call: retireSigningKey,
    answers: { 200: 'The retired key.' },
  })
  retireSigningKey = (context: RequestContext) => ({ appId: context.app.id, id: context.id('key') });
}
