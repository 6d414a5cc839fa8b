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
import { restrictionsBody, restrictionsOf } from './restrictions';
import { createApiKeyBody } from './schemas';

@Routes('App API keys', 'Credentials of the device plane, at most three of an app active.')
export class ApiKeysController {
  @ManagementRoute('GET', 'apps/:app/api-keys', {
    summary: 'Keys of an app, by id',
    query: [pageQuery],
    call: listApiKeys,
  })
  listApiKeys = ({ app }: RequestContext, page: z.output<typeof pageQuery>) => ({ ...page, appId: app.id });

  @ManagementRoute('POST', 'apps/:app/api-keys', {
    limit: 'keyActionsOfApp',
    summary: 'Make a key; only this answer shows it',
    body: createApiKeyBody,
    call: createApiKey,
    answers: { 201: 'The key, with its plaintext.' },
  })
  createApiKey = ({ app }: RequestContext, { name }: z.output<typeof createApiKeyBody>) => ({ appId: app.id, name });

  @ManagementRoute('GET', 'apps/:app/api-keys/:key', {
    summary: 'One key, without its secret',
    call: getApiKey,
    raw: true,
    answers: { 200: 'The key.' },
  })
  getApiKey = keyOf;

  @ManagementRoute('DELETE', 'apps/:app/api-keys/:key', {
    permission: 'keys.delete',
    summary: 'Delete a key, for good and at once',
    call: deleteApiKey,
    answers: { 200: 'Deleted.' },
  })
  deleteApiKey = keyOf;

  @ManagementRoute('POST', 'apps/:app/api-keys/:key/rotate', {
    limit: 'keyActionsOfKey',
    summary: 'Give a key a new secret',
    description: 'The old secret counts no more from this answer on.',
    call: rotateApiKey,
    answers: { 200: 'The key, with its plaintext.' },
  })
  rotateApiKey = keyOf;

  @ManagementRoute('POST', 'apps/:app/api-keys/:key/reveal', {
    limit: 'keyActionsOfKey',
    summary: 'Show the secret of a key again',
    call: revealApiKey,
    answers: { 200: 'The plaintext.' },
  })
  revealApiKey = keyOf;

  @ManagementRoute('PATCH', 'apps/:app/api-keys/:key/restrictions', {
    summary: 'Say who may use a key',
    description:
      'Replaces every restriction; a kind left out is cleared, and `{}` clears them all. A body is required. A caller that meets one entry of any kind may use the key.',
    body: restrictionsBody,
    bodyRequired: true,
    call: restrictApiKey,
    answers: { 200: 'The key as it stands now.' },
  })
  restrictApiKey = (context: RequestContext, body: z.output<typeof restrictionsBody>) => ({
    ...keyOf(context),
    restrictions: restrictionsOf(body, context.request.body),
  });

  @ManagementRoute('POST', 'apps/:app/api-keys/:key/revoke', {
    summary: 'Revoke a key, for good and at once',
    call: revokeApiKey,
    answers: { 200: 'The revoked key.' },
  })
  revokeApiKey = keyOf;

  @ManagementRoute('POST', 'apps/:app/api-keys/:key/deprecate', {
    summary: 'Mark a key for retirement; it keeps working',
    call: deprecateApiKey,
    answers: { 200: 'The key as it stands now.' },
  })
  deprecateApiKey = keyOf;
}

const keyOf = (context: RequestContext) => ({ appId: context.app.id, id: context.id('key') });
