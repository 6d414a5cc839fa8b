import { useQueryClient } from '@tanstack/react-query';
import type { SyncSettings } from '@sluice/contracts';
import { bind } from '../../parts/bind';
import { CheckField, Form, TextField } from '../../parts/form';
import { Section } from '../../parts/page';
import { useSend } from '../../parts/send';
import * as texts from '../../texts/listings/settings';
import { changed, useDraft } from './draft';
import { usePlane } from './plane';
import { LISTINGS } from './queries';

type NumberName = Exclude<keyof SyncSettings, 'delete_missing' | 'max_delete_ratio'>;

interface NumberSetting {
  readonly name: NumberName;
  readonly label: string;
  readonly help: string;
  readonly bounds: readonly [min: number, max: number];
}

const NUMBERS: readonly NumberSetting[] = [
  { name: 'sync_interval_minutes', label: texts.interval, help: texts.intervalHelp, bounds: [60, 40_320] },
  { name: 'batch_size', label: texts.batchSize, help: texts.batchSizeHelp, bounds: [1, 100] },
  { name: 'concurrency', label: texts.concurrency, help: texts.concurrencyHelp, bounds: [1, 16] },
  { name: 'max_retries', label: texts.retries, help: texts.retriesHelp, bounds: [0, 10] },
  { name: 'refresh_after_days', label: texts.refresh, help: texts.refreshHelp, bounds: [1, 29] },
  { name: 'log_retention_days', label: texts.retention, help: texts.retentionHelp, bounds: [1, 365] },
];

type Draft = Readonly<Record<NumberName, string>> & {
  readonly delete_missing: boolean;
  readonly deletePercent: string;
};

function draftOf({ delete_missing, max_delete_ratio, ...numbers }: SyncSettings): Draft {
  const inputs = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
  return {
    ...(inputs as Readonly<Record<NumberName, string>>),
    delete_missing,
    // 0.07 × 100 is 7.000000000000001.
    deletePercent: String(Number((max_delete_ratio * 100).toFixed(6))),
  };
}

function settingsOf({ delete_missing, deletePercent, ...inputs }: Draft): SyncSettings {
  const numbers = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, Number(input)]));
  return {
    ...(numbers as Readonly<Record<NumberName, number>>),
    delete_missing,
    max_delete_ratio: Number((Number(deletePercent) / 100).toFixed(8)),
  };
}

export function SyncSettingsForm({ saved }: { readonly saved: SyncSettings }) {
  const { draft, from, change, restart } = useDraft(saved, draftOf);
  const plane = usePlane();
  const client = useQueryClient();
  const save = useSend(() => plane.post<SyncSettings>('/sync/settings', changed(from, settingsOf(draft))), {
    toast: texts.syncSaved,
    done: (now) => {
      client.setQueryData([LISTINGS, null, '/sync/settings'], now);
      restart(now);
    },
  });
  const field = bind(draft, change);
  return (
    <Section title={texts.syncSettings}>
      <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb={texts.saveSync}>
        <div className="field-grid">
          {NUMBERS.map(({ name, label, help, bounds: [min, max] }) => (
            <TextField key={name} type="number" {...field(name)} {...{ label, help, min, max }} required />
          ))}
          <TextField
            name="max_delete_ratio"
            label={texts.deletionLimit}
            help={texts.deletionLimitHelp}
            type="number"
            step="any"
            min={0}
            max={100}
            required
            value={draft.deletePercent}
            change={(deletePercent) => change({ deletePercent })}
          />
        </div>
        <CheckField {...field('delete_missing')} label={texts.deleteMissing} help={texts.deleteMissingHelp} />
      </Form>
    </Section>
  );
}
