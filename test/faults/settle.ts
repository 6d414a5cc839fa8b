import { setTimeout as delay } from 'node:timers/promises';
import type { ProjectionStatus } from '@sluice/contracts';
import type { Deployment } from '../support/deployment';
import { call } from '../support/http';
import { isAlive, type Credentials } from './client';

const POLL_MS = 100;

/**
 * Waits, while no client writes, until every living process is ready, and its projections have reached the positions of
 * the others. @throws Error when that takes longer
 */
export async function settle(deployment: Deployment, { ownerKey }: Credentials, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (let unsettled = await look(deployment, ownerKey); unsettled; unsettled = await look(deployment, ownerKey)) {
    if (performance.now() > deadline) throw new Error(`The installation does not recover: ${unsettled}`);
    await delay(POLL_MS);
  }
}

/** Answers what is still to come. */
async function look({ processes, gateways }: Deployment, ownerKey: string): Promise<string | undefined> {
  for (const { name, address } of processes.filter(isAlive)) {
    const { status, body } = await call(`${address}/health/ready`);
    if (status !== 200) return `${name} is not ready: ${JSON.stringify(body)}`;
  }
  const { status, body } = await call<{ data: ProjectionStatus[] }>(`${gateways[0]!}/api/dashboard/v1/projections`, {
    headers: { Authorization: `Bearer ${ownerKey}` },
  });
  const settled = status === 200 && body.data.every(({ position }) => position === body.data[0]!.position);
  return settled ? undefined : `the projections are ${status} ${JSON.stringify(body)}`;
}
