import {
  createApiKey,
  deleteApiKey,
  deprecateApiKey,
  getApiKey,
  listApiKeys,
  restrictApiKey,
  revealApiKey,
  revokeApiKey,
  rotateApiKey,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import type { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { AppChannels } from './app-channels';
import { ifMatchHeader, ifRevision, tagged } from './if-match';
import { restrictionsBody, restrictionsOf } from './restrictions';
import { createApiKeyBody } from './schemas';

@Routes('App API keys', 'Credentials of the device API. An app has at most three active keys.')
export class ApiKeysController {
  constructor(private readonly channels: AppChannels) {}

  @ManagementRoute('GET', 'apps/:app/api-keys', {
    summary: 'List the keys of an app, by ID',
    query: [pageQuery],
    call: listApiKeys,
  })
  listApiKeys = ({ app }: RequestContext, page: z.output<typeof pageQuery>) => ({ ...page, appId: app.id });

  @ManagementRoute('POST', 'apps/:app/api-keys', {
    limit: 'keyActionsOfApp',
    summary: 'Create a key',
    body: createApiKeyBody,
    call: createApiKey,
    answers: { 201: 'The key, with its plaintext.' },
  })
  createApiKey = ({ app }: RequestContext, { name }: z.output<typeof createApiKeyBody>) => ({ appId: app.id, name });

  @ManagementRoute('GET', 'apps/:app/api-keys/:key', {
    summary: 'Get a key, without its secret',
    call: getApiKey,
    raw: true,
    ...tagged(getApiKey, 200, 'The key.'),
  })
  getApiKey = keyOf;

  @ManagementRoute('DELETE', 'apps/:app/api-keys/:key', {
    permission: 'keys.delete',
    summary: 'Delete a key immediately and permanently',
    headers: ifMatchHeader,
    call: deleteApiKey,
    answers: { 200: 'Deleted.' },
  })
  deleteApiKey = expectedKey;

  @ManagementRoute('POST', 'apps/:app/api-keys/:key/rotate', {
    limit: 'keyActionsOfKey',
    summary: 'Rotate the secret of a key',
    description: 'The previous secret stops working immediately.',
    headers: ifMatchHeader,
    call: rotateApiKey,
    answers: { 200: 'The key, with its plaintext.' },
  })
  rotateApiKey = expectedKey;

  @ManagementRoute('POST', 'apps/:app/api-keys/:key/reveal', {
    limit: 'keyActionsOfKey',
    summary: 'Reveal the secret of a key',
    call: revealApiKey,
    answers: { 200: 'The plaintext.' },
  })
  revealApiKey = keyOf;

  @ManagementRoute('PATCH', 'apps/:app/api-keys/:key/restrictions', {
    summary: 'Replace the restrictions of a key',
    description:
      'Replaces all restrictions. A kind that is omitted is cleared, and `{}` clears all. A body is required. A caller that matches one entry of origins, android or ios may use the key. With channels, a check or a report of another channel is rejected, and a key for one channel determines the channel of checks that name none.',
    headers: ifMatchHeader,
    body: restrictionsBody,
    bodyRequired: true,
    call: restrictApiKey,
    ...tagged(restrictApiKey, 200, 'The updated key.'),
  })
  async restrictApiKey(context: RequestContext, body: z.output<typeof restrictionsBody>) {
    const restrictions = restrictionsOf(body, context.request.body);
    for (const name of restrictions.channels ?? []) {
      await this.channels.find(context.app.id, name, 'channels', context.caller);
    }
    return { ...expectedKey(context), restrictions };
  }

  @ManagementRoute('POST', 'apps/:app/api-keys/:key/revoke', {
    summary: 'Revoke a key immediately and permanently',
    headers: ifMatchHeader,
    call: revokeApiKey,
    ...tagged(revokeApiKey, 200, 'The revoked key.'),
  })
  revokeApiKey = expectedKey;

  @ManagementRoute('POST', 'apps/:app/api-keys/:key/deprecate', {
    summary: 'Mark a key for retirement; it keeps working',
    headers: ifMatchHeader,
    call: deprecateApiKey,
    ...tagged(deprecateApiKey, 200, 'The updated key.'),
  })
  deprecateApiKey = expectedKey;
}

const keyOf = (context: RequestContext) => ({ appId: context.app.id, id: context.id('key') });

/** The key at the revision that If-Match names. */
const expectedKey = (context: RequestContext) => ({ ...keyOf(context), ...ifRevision(context) });
