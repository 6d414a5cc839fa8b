import { Inject } from '@nestjs/common';
import {
  countDevicesBySigner,
  countedSigningKeySchema,
  createSigningKey,
  getSigningCertificate,
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

/** Takes as long as finding two large primes, possibly after other requests do. */
const CREATION = { limit: 'keyActionsOfSigningKey', changesSigningKeys: true, timeoutMs: 30_000 } as const;
/** Counting the devices of a large fleet takes seconds; the list does not depend on it. */
const COUNT_PATIENCE = { timeoutMs: 3_000 };

@Routes(
  'Signing key',
  'The key with which the server signs the bundles of an app. The private key never leaves the server.',
)
export class SigningKeyController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @ManagementRoute('GET', 'apps/:app/signing-key', {
    summary: 'Get the public key, if there is one',
    call: getSigningKey,
    raw: true,
    answers: { 200: 'The key, or the statement that there is none.' },
  })
  getSigningKey = ofApp;

  @ManagementRoute('POST', 'apps/:app/signing-key', {
    ...CREATION,
    summary: 'Create a signing key',
    body: signingKeyBody,
    call: createSigningKey,
    answers: { 201: 'The new key.' },
  })
  createSigningKey = ({ app }: RequestContext, wish: z.output<typeof signingKeyBody>) => ({ ...wish, appId: app.id });

  @ManagementRoute('POST', 'apps/:app/signing-key/rotate', {
    ...CREATION,
    summary: 'Rotate the signing key',
    description:
      'The previous key continues to sign, because installed apps trust only that key. `signature` is made with the oldest such key until it is retired. With expected_fingerprint, nothing changes unless it is the fingerprint of the active key.',
    body: rotateSigningKeyBody,
    call: rotateSigningKey,
    answers: { 200: 'The new key.' },
  })
  rotateSigningKey({ app }: RequestContext, body: z.output<typeof rotateSigningKeyBody>) {
    const { expected_fingerprint: expectedFingerprint, ...wish } = body;
    return { ...wish, expectedFingerprint, appId: app.id };
  }

  @ManagementRoute('GET', 'apps/:app/signing-keys', {
    summary: 'List all signing keys, newest first',
    description:
      'The active key, previous keys (`former`) that still sign, and retired keys. `devices` counts the devices whose last reported version was first signed while the key was the newest. Update these devices before you retire that key. Versions with a supplied signature are not counted. It is null while the device API does not respond.',
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

  @ManagementRoute('GET', 'apps/:app/signing-keys/:key/certificate', {
    summary: 'Get the certificate of a signing key',
    description:
      'A self-signed X.509 certificate for the clients of Expo: `codeSigningCertificate` of the app. `keyid` and `alg` belong into its `codeSigningMetadata`. Retired keys have none.',
    call: getSigningCertificate,
    answers: { 200: 'The certificate.' },
  })
  getSigningCertificate = (context: RequestContext) => ({ appId: context.app.id, id: context.id('key') });

  @ManagementRoute('POST', 'apps/:app/signing-keys/:key/retire', {
    changesSigningKeys: true,
    summary: 'Retire a previous signing key immediately and permanently',
    description:
      'Its private key is deleted. Installed apps that trust only this key reject all builds that are signed later. Repeating the request changes nothing.',
    call: retireSigningKey,
    answers: { 200: 'The retired key.' },
  })
  retireSigningKey = (context: RequestContext) => ({ appId: context.app.id, id: context.id('key') });
}
