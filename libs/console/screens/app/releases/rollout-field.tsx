import type { App, Channel } from '@sluice/contracts';
import { useState } from 'react';
import { SelectField } from '../../../parts/form';
import * as texts from '../../../texts/build-dialogs';
import { defaultRollout, useTemplates } from '../../builds/data';
import { Percentage } from './percentage';

/** The rollout of a new build: a percentage, or the name of a plan template. */
type Rollout = number | string;

/** What a person chose, else the default of the app for the channel. @param otherwise without either */
export function useRollout(app: App, channel: Channel, otherwise = 100) {
  const templates = useTemplates(app).data?.data;
  const [chosen, choose] = useState<Rollout>();
  const proposed = defaultRollout(app, channel);
  const value = chosen ?? proposed ?? otherwise;
  const template = templates?.find(({ name }) => name === value);
  const opening = template === undefined || template.windows.length > 0 ? 0 : (template.steps[0]?.percentage ?? 0);
  return {
    value,
    choose,
    names: [...new Set([...(templates ?? []).map(({ name }) => name), ...(typeof value === 'string' ? [value] : [])])],
    /** Whether the app proposed it. */
    isDefault: chosen === undefined && proposed !== undefined,
    percentage: typeof value === 'number' ? value : opening,
    body: typeof value === 'number' ? { rollout_percentage: value } : { plan: value },
  };
}

interface RolloutFieldProps {
  readonly channel: Channel;
  readonly rollout: ReturnType<typeof useRollout>;
  readonly min?: 0 | 1;
  /** Of a percentage that the app does not propose. */
  readonly help: string;
}

export function RolloutField({ channel, rollout, min = 0, help }: RolloutFieldProps) {
  const { value, choose, names, isDefault } = rollout;
  const template = typeof value === 'string' ? value : '';
  const hint = isDefault ? texts.defaultOf(channel) : undefined;
  const options = [['', texts.noPlan], ...names.map((name) => [name, name] as const)] as const;
  return (
    <>
      {names.length > 0 && (
        <SelectField
          name="plan"
          label={texts.planTemplate}
          value={template}
          change={(name) => choose(name === '' ? 100 : name)}
          options={options}
          help={template === '' ? undefined : hint}
        />
      )}
      {typeof value === 'number' && (
        <Percentage min={min} value={value} change={choose} help={`${hint ?? help} ${texts.planLater}`} />
      )}
    </>
  );
}
