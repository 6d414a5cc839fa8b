import { getBuild } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import type { FastifyRequest } from 'fastify';

type Body = Readonly<Record<string, unknown>>;

/**
 * Whether a PATCH of a build or of its rollout only takes the build away from devices: a status of `paused` or
 * `archived` and nothing else; a rollout that is switched off, or lowered, and not widened in the same request.
 */
export async function onlyNarrows({ body, params, access }: FastifyRequest, messaging: Messaging): Promise<boolean> {
  const given = Object.entries((body ?? {}) as Body).filter(([, value]) => value !== undefined);
  const { status, enabled, rollout_percentage: percentage, ...others } = Object.fromEntries(given) as Body;
  if (given.length === 0 || Object.keys(others).length > 0) return false;
  if (status !== undefined) return given.length === 1 && (status === 'paused' || status === 'archived');
  if (enabled === true) return false;
  if (percentage === undefined) return enabled === false;
  const id = Number((params as { readonly build?: string }).build);
  if (typeof percentage !== 'number' || access?.app === undefined || !Number.isSafeInteger(id)) return false;
  try {
    const build = await messaging.request(getBuild, { appId: access.app.id, id }, access.caller);
    return percentage <= (build.rollout_percentage ?? 0);
  } catch (error) {
    // The handler answers for a build that does not exist.
    if (error instanceof DomainError && error.code === 'BUILD_NOT_FOUND') return false;
    throw error;
  }
}
