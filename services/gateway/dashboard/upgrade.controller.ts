import { Inject } from '@nestjs/common';
import {
  finishUpgrade,
  formerFactsCall,
  SERVICES,
  type Caller,
  type Replica,
  type Upgrade,
  upgradeSchema,
} from '@sluice/contracts';
import { installation, INSTALLATION_STREAM, KNOWN_FORMAT, REPLICA_POSITIONS } from '@sluice/service-host';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { UnavailableError } from '@sluice/kernel';
import { MESSAGING, type ReplicaPositions, type Messaging } from '@sluice/messaging';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';

/** A process asks its own engines for 1.5 s. */
const TIMEOUT_MS = 2_000;
/** A call can appear to time out although it is just being sent again. */
const ATTEMPTS = 3;
/** Services whose replicas announce themselves in every release. */
const ANNOUNCED: readonly string[] = ['gateway', 'device-updates'];
const FORMERLY_SILENT = SERVICES.filter((service) => !ANNOUNCED.includes(service));

@Routes('Upgrade', 'The format of the installation, for the operator only.')
export class UpgradeController {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(REPLICA_POSITIONS) private readonly members: ReplicaPositions,
  ) {}

  @DashboardRoute('GET', 'upgrade', {
    operator: true,
    summary: 'Get whether the upgrade to this release is finished, and which replicas it waits for',
    answers: { 200: one(upgradeSchema, 'The format of the installation.') },
  })
  async getUpgrade({ caller }: RequestContext): Promise<Upgrade> {
    const { format } = (await this.commands.load(installation, INSTALLATION_STREAM)).state;
    const finished = format >= KNOWN_FORMAT;
    const replicas = finished ? [] : await this.replicas(caller);
    const blockedBy = replicas.filter((replica) => (replica.format ?? 0) < KNOWN_FORMAT);
    return { format, known_format: KNOWN_FORMAT, finished, blocked_by: blockedBy };
  }

  @DashboardRoute('POST', 'upgrade/finish', {
    operator: true,
    summary: 'Finish the upgrade to this release once every replica runs it; this cannot be undone',
    description:
      'Raises the format of the installation, which new commands require. Releases that do not support the new format no longer start. Repeating the request changes nothing.',
    call: finishUpgrade,
    answers: { 200: 'The format of the installation.' },
  })
  async finishUpgrade({ caller }: RequestContext) {
    return { format: KNOWN_FORMAT, replicas: await this.replicas(caller) };
  }

  /** Replicas that announce themselves, replicas of former releases, and an entry for each service that has none. */
  private async replicas(caller: Caller): Promise<Replica[]> {
    const [announced, former] = await Promise.all([
      this.members.replicas(),
      Promise.all(FORMERLY_SILENT.map((service) => this.formerReplicas(service, caller))),
    ]);
    const found = [...announced, ...former.flat()];
    const absent = SERVICES.filter((service) => !found.some((replica) => replica.service === service));
    return [...found, ...absent.map((service) => ({ service, name: null, release: null, format: null }))];
  }

  /** At most one replica of a release that announces no format. */
  private async formerReplicas(service: string, caller: Caller): Promise<Replica[]> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        const call = formerFactsCall(service);
        const facts = await this.messaging.request(call, {}, caller, { timeoutMs: TIMEOUT_MS });
        const startedAt = new Date(Date.parse(facts.time) - facts.uptime_seconds * 1_000).toISOString();
        return [{ service, name: `started ${startedAt}`, release: facts.version, format: null }];
      } catch (error) {
        if (error instanceof UnavailableError && error.done === 'no') return [];
      }
    }
    return [{ service, name: null, release: null, format: null }];
  }
}
