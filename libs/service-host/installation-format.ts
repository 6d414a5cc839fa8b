import { setTimeout as delay } from 'node:timers/promises';
import { VERSION } from '@sluice/config';
import { replicaNames, type Replica } from '@sluice/contracts';
import type { CommandHandling, EventStore } from '@sluice/event-store';
import { DomainError, isUnavailable, UnknownEventError, type Decider } from '@sluice/kernel';

/** The newest installation format that this release supports. */
export const KNOWN_FORMAT = 5;

/** The format of facts that decide which devices a build is for: native versions, platforms, audiences, added channels. */
export const TARGETING_FORMAT = 3;

/** The format of encrypted bundles, which only some clients are offered. */
export const DELIVERY_FORMAT = 4;

/** The format of changes to the steps of a rollout plan that runs. */
export const PLAN_STEPS_FORMAT = 5;

export interface RaiseFormat {
  readonly format: number;
  /** Every running replica that the caller could find. */
  readonly replicas: readonly Replica[];
}

export interface InstallationFormatRaised {
  readonly type: 'InstallationFormatRaised';
  readonly data: { readonly format: number };
}

export interface Installation {
  /** 0 until it is raised for the first time. */
  readonly format: number;
}

export const INSTALLATION_STREAM = 'installation';

/** The stream `installation`. A format is never lowered. */
export const installation: Decider<Installation, RaiseFormat, InstallationFormatRaised> = {
  initialState: () => ({ format: 0 }),

  decide: ({ format, replicas }, { format: present }) => {
    if (format <= present) return [];
    const blocking = replicas.filter((replica) => (replica.format ?? 0) < format);
    if (blocking.length > 0) {
      throw new DomainError(
        'UPGRADE_BLOCKED',
        `Every replica must run a release that supports installation format ${format}. These do not: ${replicaNames(blocking)}. Replace or stop them, then try again.`,
        { replicas: blocking },
      );
    }
    return [{ type: 'InstallationFormatRaised', data: { format } }];
  },

  evolve: (_state, { type, data }) => {
    if ((type as string) !== 'InstallationFormatRaised') throw new UnknownEventError(type);
    return { format: data.format };
  },
};

/**
 * For a command whose event only releases that support this format can read.
 * @throws DomainError UPGRADE_NOT_FINISHED; UnavailableError
 */
export async function requireFormat(commands: Pick<CommandHandling, 'load'>, format: number): Promise<void> {
  const { format: present } = (await commands.load(installation, INSTALLATION_STREAM)).state;
  if (present >= format) return;
  throw new DomainError(
    'UPGRADE_NOT_FINISHED',
    `This needs installation format ${format}; the installation has format ${present}. The operator finishes the upgrade with: sluice upgrade finish`,
    { format: present, required_format: format },
  );
}

const PAUSE_MS = 500;

/**
 * Waits while the event store is unavailable, which EngineHealth logs.
 * @throws Error when this release does not support the format of the installation
 */
export async function refuseNewerFormat(events: EventStore, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    try {
      let { format } = installation.initialState();
      for await (const event of events.readStream(INSTALLATION_STREAM)) {
        ({ format } = installation.evolve({ format }, event as never, event.metadata.at, event.recordedAt));
      }
      if (format <= KNOWN_FORMAT) return;
      throw new Error(
        `This installation has format ${format}; release ${VERSION} supports formats up to ${KNOWN_FORMAT}. Start a release that supports format ${format}: a finished upgrade can not be undone.`,
      );
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    await delay(PAUSE_MS);
  }
}
