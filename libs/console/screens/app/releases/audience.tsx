import type { App, AppChannel, Build, ChannelPins, Group as DeviceGroup, Pins, Ring } from '@sluice/contracts';
import { useState } from 'react';
import { ApiError, PER_PAGE, query } from '../../../api/client';
import { useGet, useList } from '../../../api/queries';
import { CheckField, Group, SelectField, TextField } from '../../../parts/form';
import { toggled } from '../../../parts/toggled';
import * as texts from '../../../texts/audience';
import { type AudienceDraft, audienceDraft, type RuleDraft, toAudience } from './audience-draft';

type Reach = Pick<Build, 'id' | 'rollout_enabled' | 'rollout_percentage'> & Partial<Pick<Build, 'audience'>>;

/** How many devices are pinned to a build, if it makes a difference: the others may not get it. */
export function usePinned(app: App, build: Reach): number {
  const { audience = null, rollout_percentage: percentage } = build;
  const enabled = build.rollout_enabled && ((percentage ?? 100) < 100 || audience !== null);
  return useGet<Pins>(`/apps/${app.id}/builds/${build.id}/pins`, ['builds', app.id], { enabled }).data?.devices ?? 0;
}

/** How many devices are pinned in a channel that has an audience. */
export const useChannelPins = (app: App, { name, audience }: AppChannel): number =>
  useGet<ChannelPins>(`/apps/${app.id}/channels/${name}/pins`, ['apps', app.id], { enabled: audience !== null }).data
    ?.devices ?? 0;

/** The device groups of an app; of many the first. */
export const useGroups = (app: App) =>
  useList<DeviceGroup>(`/apps/${app.id}/groups${query({ per_page: PER_PAGE })}`, ['groups', app.id]);

const RINGS = Object.entries(texts.rings) as [Ring, string][];

export function RingField(props: { readonly value: Ring; readonly change: (ring: Ring) => void }) {
  return <SelectField name="ring" {...props} label={texts.ring} help={texts.ringHelp} options={RINGS} />;
}

/** The audience of a new build. */
export function useAudience() {
  const [draft, change] = useState<AudienceDraft>(() => audienceDraft(null));
  return { value: draft, change, audience: toAudience(draft) };
}

const KINDS = Object.entries(texts.ruleKinds) as [keyof typeof texts.ruleKinds, string][];

interface AudienceProps {
  /** Of a build or of a channel. */
  readonly help?: string;
  readonly app: App;
  readonly value: AudienceDraft;
  readonly change: (draft: AudienceDraft) => void;
}

/** The devices that a build is for: groups, and a rule for each attribute. */
export function AudienceFields({ app, help = texts.audienceHelp, value, change: set }: AudienceProps) {
  const { pinnedOnly, groups, rules } = value;
  const change = (changes: Partial<AudienceDraft>): void => set({ ...value, ...changes });
  const known = useGroups(app).data?.data.map(({ name }) => name) ?? [];
  const names = [...new Set([...known, ...groups])];
  const attributes = [...new Set([...Object.keys(app.attributes), ...Object.keys(rules)])];
  const setRule = (attribute: string, rule: RuleDraft): void => change({ rules: { ...rules, [attribute]: rule } });
  return (
    <Group name="audience" label={texts.audience} help={help}>
      <div className="form">
        <CheckField
          name="pinned_only"
          label={texts.onlyPinned}
          value={pinnedOnly}
          change={(is) => change({ pinnedOnly: is })}
        />
        {pinnedOnly ? null : names.length === 0 ? (
          <p className="dim">{texts.noGroups}</p>
        ) : (
          <Group name="audience.groups" label={texts.groups} help={texts.groupsHelp}>
            <div className="days">
              {names.map((name) => (
                <CheckField
                  key={name}
                  name={`group.${name}`}
                  label={name}
                  value={groups.has(name)}
                  change={(has) => change({ groups: toggled(groups, name, has) })}
                />
              ))}
            </div>
          </Group>
        )}
        {!pinnedOnly && attributes.length === 0 && <p className="dim">{texts.noAttributes}</p>}
        {(pinnedOnly ? [] : attributes).map((attribute) => {
          const rule = rules[attribute] ?? { kind: '', text: '' };
          const isVersion = app.attributes[attribute] === 'version';
          const kinds = KINDS.filter(([kind]) => kind !== 'range' || isVersion || rule.kind === 'range');
          return (
            <div key={attribute} className="pair">
              <SelectField<RuleDraft['kind']>
                name={`rule.${attribute}`}
                label={texts.rule(attribute)}
                value={rule.kind}
                change={(kind) => setRule(attribute, { ...rule, kind })}
                options={[['', texts.anyValue], ...kinds]}
              />
              {rule.kind !== '' && (
                <TextField
                  name={`audience.attributes.${attribute}`}
                  label={texts.ruleValue(attribute)}
                  help={texts.valueHelp[rule.kind]}
                  value={rule.text}
                  change={(text) => setRule(attribute, { ...rule, text })}
                  spellCheck={false}
                />
              )}
            </div>
          );
        })}
      </div>
    </Group>
  );
}

/** Faults within a rule as faults of its field. */
export function atAudienceFields(error: Error | null): Error | null {
  if (!(error instanceof ApiError)) return error;
  const fields: Record<string, string[]> = {};
  for (const [name, faults] of Object.entries(error.fields)) {
    const [field = name] = /^audience\.(groups|attributes\.[^.]+)/.exec(name) ?? [];
    (fields[field] ??= []).push(...faults);
  }
  return error.withTexts({ fields });
}
