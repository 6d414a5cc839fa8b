import type { App, Build } from '@sluice/contracts';
import { api } from '../../../api/client';
import { Confirm } from '../../../parts/dialog';
import { say } from '../../../parts/toasts';

export type StepKind = 'halt' | 'resume' | 'pause' | 'activate' | 'archive' | 'delete';

/** One change of a build that is asked about in a sentence. */
export interface StepFacts {
  readonly verb: string;
  readonly title: (build: Build) => string;
  /** What it means for devices, and whether it can be taken back. */
  readonly meaning: (build: Build) => string;
  readonly call: (path: string) => Promise<unknown>;
  readonly said: (build: Build) => string;
  readonly danger?: boolean;
  readonly typed?: boolean;
}

const named = ({ version, channel }: Build): string => `${version} in ${channel}`;

export const STEPS: Readonly<Record<StepKind, StepFacts>> = {
  halt: {
    verb: 'Halt the rollout',
    title: (build) => `Halt the rollout of ${named(build)}?`,
    meaning: () =>
      'From its next check on, no further device gets it. Devices that run it keep it; the others get the next older build, where there is one. Resuming goes on from the same percentage.',
    call: (path) => api.patch(`${path}/rollout`, { enabled: false }),
    said: (build) => `The rollout of ${named(build)} is halted.`,
    danger: true,
  },
  resume: {
    verb: 'Resume the rollout',
    title: (build) => `Resume the rollout of ${named(build)}?`,
    meaning: ({ rollout_percentage: percentage }) =>
      `It goes on at ${percentage ?? 100} %: the same devices as before, from their next check on.`,
    call: (path) => api.patch(`${path}/rollout`, { enabled: true }),
    said: (build) => `The rollout of ${named(build)} goes on.`,
  },
  pause: {
    verb: 'Pause',
    title: (build) => `Pause ${named(build)}?`,
    meaning: () =>
      'From its next check on, no device is given it: devices get the next older active build, where there is one. Those that run it keep it. It can be activated again.',
    call: (path) => api.patch(path, { status: 'paused' }),
    said: (build) => `${named(build)} is paused.`,
    danger: true,
  },
  activate: {
    verb: 'Activate',
    title: (build) => `Activate ${named(build)}?`,
    meaning: ({ rollout_percentage: percentage, rollout_enabled: enabled }) =>
      enabled
        ? `Devices that run an older version get it at their next check, at ${percentage ?? 100} % of its rollout, unless a newer build serves them.`
        : 'Its rollout is halted: no device gets it until that is resumed.',
    call: (path) => api.patch(path, { status: 'active' }),
    said: (build) => `${named(build)} is active.`,
  },
  archive: {
    verb: 'Archive',
    title: (build) => `Archive ${named(build)}?`,
    meaning: ({ status }) =>
      status === 'processing' || status === 'uploading'
        ? 'Its check is given up, and it can never be activated.'
        : status === 'failed'
          ? 'It stays in the list, as archived, and holds its version again: that can’t be uploaded any more.'
          : 'Devices are no longer given it; those that run it keep it. Its version stays taken. It can be activated again.',
    call: (path) => api.patch(path, { status: 'archived' }),
    said: (build) => `${named(build)} is archived.`,
    danger: true,
  },
  delete: {
    verb: 'Delete for ever',
    title: (build) => `Delete ${named(build)}?`,
    meaning: () =>
      'This can’t be taken back. Devices can no longer download it, its version is free again, and builds that were promoted from it go on working. Its history stays.',
    call: (path) => api.delete(path),
    said: (build) => `${named(build)} is deleted.`,
    danger: true,
    typed: true,
  },
};

export function Step({
  app,
  build,
  step,
  open,
  close,
  done,
}: {
  readonly app: App;
  readonly build: Build;
  readonly step: StepFacts;
  readonly open: boolean;
  readonly close: () => void;
  readonly done: () => void;
}) {
  const confirm = async (): Promise<void> => {
    await step.call(`/apps/${app.id}/builds/${build.id}`);
    say(step.said(build));
    done();
  };
  return (
    <Confirm
      open={open}
      close={close}
      confirm={confirm}
      title={step.title(build)}
      verb={step.verb}
      danger={step.danger === true}
      {...(step.typed === true && { typed: build.version })}
    >
      <p>{step.meaning(build)}</p>
    </Confirm>
  );
}
