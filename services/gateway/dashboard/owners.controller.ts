import { createOwner, getOwner, listOwners, resumeOwner, rotateOwnerKey, suspendOwner } from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import type { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes, asSent } from '../http/route';
import { createOwnerBody, rotateOwnerKeyBody, suspendOwnerBody } from './schemas';

@Routes('Owners', 'Each owner has its own apps, tokens and storage quota. The first owner is the operator.')
export class OwnersController {
  @DashboardRoute('GET', 'owner', {
    summary: 'Get the calling owner',
    call: getOwner,
    answers: { 200: 'The owner.' },
  })
  getOwner = ({ owner }: RequestContext) => ({ id: owner.id });

  // Not repeatable, because a repeat with the former key is rejected.
  @DashboardRoute('POST', 'owner/rotate-key', {
    onlyTakesAway: true,
    summary: 'Rotate your owner key; the key appears only in this response',
    description:
      'The previous key and its sessions stop working immediately, everywhere; with `revoke_tokens`, so do all tokens of the owner. Use it after a key has leaked.',
    body: rotateOwnerKeyBody,
    call: rotateOwnerKey,
    answers: { 200: 'The owner, with the new key.' },
  })
  rotateOwnKey = ({ owner }: RequestContext, { revoke_tokens: revokeTokens }: z.output<typeof rotateOwnerKeyBody>) => ({
    id: owner.id,
    revokeTokens,
  });

  @DashboardRoute('GET', 'owners', {
    operator: true,
    summary: 'List all owners, by ID; for the operator',
    query: [pageQuery],
    call: listOwners,
  })
  listOwners = asSent;

  @DashboardRoute('POST', 'owners', {
    operator: true,
    repeatable: true,
    summary: 'Create an owner; its key appears only in this response',
    body: createOwnerBody,
    call: createOwner,
    answers: { 201: 'The owner, with its key.' },
  })
  createOwner = asSent;

  @DashboardRoute('POST', 'owners/:owner/rotate-key', {
    operator: true,
    repeatable: true,
    onlyTakesAway: true,
    summary: 'Rotate the key of an owner; the key appears only in this response',
    description:
      'The previous key and its sessions stop working immediately, everywhere; with `revoke_tokens` so do all tokens of the owner.',
    body: rotateOwnerKeyBody,
    call: rotateOwnerKey,
    answers: { 200: 'The owner, with the new key.' },
  })
  rotateOwnerKey = (context: RequestContext, { revoke_tokens: revokeTokens }: z.output<typeof rotateOwnerKeyBody>) => ({
    id: context.id('owner'),
    revokeTokens,
  });

  @DashboardRoute('POST', 'owners/:owner/suspend', {
    operator: true,
    repeatable: true,
    onlyTakesAway: true,
    summary: 'Suspend an owner; for the operator',
    description:
      'Its key, sessions and tokens get 403 `OWNER_SUSPENDED` from this response on. Devices of its apps still get updates unless `stop_devices` is true; then they get the same 403. Issued download URLs work until they expire. Suspending again changes the reason and `stop_devices`.',
    body: suspendOwnerBody,
    call: suspendOwner,
    answers: { 200: 'The owner.' },
  })
  suspendOwner = (
    context: RequestContext,
    { reason, stop_devices: stopDevices }: z.output<typeof suspendOwnerBody>,
  ) => ({ id: context.id('owner'), reason, stopDevices });

  @DashboardRoute('POST', 'owners/:owner/resume', {
    operator: true,
    repeatable: true,
    summary: 'End the suspension of an owner; for the operator',
    description: 'Has no effect on an owner that is not suspended.',
    call: resumeOwner,
    answers: { 200: 'The owner.' },
  })
  resumeOwner = (context: RequestContext) => ({ id: context.id('owner') });
}
