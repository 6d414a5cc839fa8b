import { useQueryClient } from '@tanstack/react-query';
import type { SyncSettings } from '@sluice/contracts';
import { bind } from '../../parts/bind';
import { CheckField, Form, TextField } from '../../parts/form';
import { Section } from '../../parts/page';
import { useSend } from '../../parts/send';
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
  {
    name: 'sync_interval_minutes',
    label: 'Minutes between syncs',
    help: 'A sync begins by itself so often. 60, which is hourly, to 40320, which is four weeks.',
    bounds: [60, 40_320],
  },
  { name: 'batch_size', label: 'Offers a request', help: '1 to 100.', bounds: [1, 100] },
  {
    name: 'concurrency',
    label: 'Requests at a time',
    help: '1 to 16. Fewer use less of Google’s quota.',
    bounds: [1, 16],
  },
  {
    name: 'max_retries',
    label: 'Retries',
    help: '0 to 10: of a request that fails, and of an offer that is refused run after run before it is given up.',
    bounds: [0, 10],
  },
  {
    name: 'refresh_after_days',
    label: 'Days until an offer is sent again',
    help: '1 to 29. Offers expire at Google after 30 days, changed or not.',
    bounds: [1, 29],
  },
  {
    name: 'log_retention_days',
    label: 'Days that logs are kept',
    help: '1 to 365. Older logs are pruned daily.',
    bounds: [1, 365],
  },
];

type Draft = Readonly<Record<NumberName, string>> & {
  readonly delete_missing: boolean;
  readonly deletePercent: string;
};

function draftOf({ delete_missing, max_delete_ratio, ...numbers }: SyncSettings): Draft {
  const texts = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
  return {
    ...(texts as Readonly<Record<NumberName, string>>),
    delete_missing,
    // 0.07 × 100 is 7.000000000000001.
    deletePercent: String(Number((max_delete_ratio * 100).toFixed(6))),
  };
}

function settingsOf({ delete_missing, deletePercent, ...texts }: Draft): SyncSettings {
  const numbers = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]));
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
    said: 'The sync settings are saved.',
    done: (now) => {
      client.setQueryData([LISTINGS, null, '/sync/settings'], now);
      restart(now);
    },
  });
  const field = bind(draft, change);
  return (
    <Section title="Sync settings">
      <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb="Save the sync settings">
        <div className="field-grid">
          {NUMBERS.map(({ name, label, help, bounds: [min, max] }) => (
            <TextField key={name} type="number" {...field(name)} {...{ label, help, min, max }} required />
          ))}
          <TextField
            name="max_delete_ratio"
            label="Most that a sync deletes, in percent"
            help="0 to 100, of all offers. A sync that would delete more deletes nothing and reports that, because a shop that shrinks suddenly is more often broken than empty."
            type="number"
            step="any"
            min={0}
            max={100}
            required
            value={draft.deletePercent}
            change={(deletePercent) => change({ deletePercent })}
          />
        </div>
        <CheckField
          {...field('delete_missing')}
          label="Delete offers of products that left the store"
          help="Otherwise they stay in the merchant account until they expire."
        />
      </Form>
    </Section>
  );
}
