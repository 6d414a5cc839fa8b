import { useQueryClient } from '@tanstack/react-query';
import type { FeedSettings } from '@sluice/contracts';
import { ApiError } from '../../api/client';
import { bind } from '../../parts/bind';
import { CheckField, Form, SelectField, TextField } from '../../parts/form';
import { Section } from '../../parts/page';
import { useSend } from '../../parts/send';
import { CategoryFields } from './category-fields';
import { changed, useDraft } from './draft';
import { feedDraftOf, feedSettingsOf, type Part } from './feed-draft';
import { usePlane } from './plane';
import { LISTINGS, STORE } from './queries';
import { ShippingFields } from './shipping-fields';
import { TaxFields } from './tax-fields';

const CHANNELS = [
  ['online', 'Online: sold in the web store'],
  ['local', 'Local: sold in a shop'],
] as const;

const countries = new Intl.DisplayNames(undefined, { type: 'region' });
const languages = new Intl.DisplayNames(undefined, { type: 'language' });

/** The name of a code; empty if it is unknown. */
export function named(code: string, names: Intl.DisplayNames): string {
  try {
    const name = names.of(code);
    return name === undefined || name === code ? '' : `${name}. `;
  } catch {
    return '';
  }
}

export function FeedSettingsForm({ saved }: { readonly saved: FeedSettings }) {
  const { draft, from, change, restart } = useDraft(saved, feedDraftOf);
  const plane = usePlane();
  const client = useQueryClient();
  const save = useSend(() => plane.post<FeedSettings>('/feed/settings', changed(from, feedSettingsOf(draft))), {
    refresh: [[STORE]],
    said: 'The feed settings are saved. The next sync goes by them.',
    done: (now) => {
      client.setQueryData([LISTINGS, null, '/feed/settings'], now);
      restart(now);
    },
  });
  const field = bind(draft, change);
  const faults = save.error instanceof ApiError ? Object.keys(save.error.fields) : [];
  const part: Part = {
    draft,
    change: (changes) => {
      // Rows that come and go would carry the faults of others.
      if (save.error !== null && Object.values(changes).some(Array.isArray)) save.reset();
      change(changes);
    },
    faultAt: (list) => {
      const at = faults.flatMap((name) =>
        name.startsWith(`${list}.`) ? [Number(name.slice(list.length + 1).split('.')[0])] : [],
      );
      return at.length === 0 ? undefined : Math.min(...at);
    },
  };
  return (
    <Section title="Feed settings">
      <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb="Save the feed settings">
        <div className="field-grid">
          <TextField
            name="target_country"
            label="Target country"
            required
            maxLength={2}
            value={draft.target_country}
            change={(value) => change({ target_country: value.toUpperCase() })}
            help={`${named(draft.target_country, countries)}Where the offers are shown: two letters, for example US.`}
          />
          <TextField
            name="content_language"
            label="Language"
            required
            maxLength={2}
            value={draft.content_language}
            change={(value) => change({ content_language: value.toLowerCase() })}
            help={`${named(draft.content_language, languages)}Of titles and descriptions: two letters, for example en.`}
          />
          <SelectField {...field('channel')} label="Channel" options={CHANNELS} />
        </div>
        <CheckField
          {...field('include_variations')}
          label="Send each variation as an offer of its own"
          help="Otherwise a variable product is one offer, at the price of the variation that is best to be had."
        />
        <CheckField
          {...field('include_out_of_stock')}
          label="Send products that are out of stock"
          help="Otherwise they are left out, and taken back where they were sent."
        />
        <ShippingFields {...part} />
        <TaxFields {...part} />
        <CategoryFields {...part} />
      </Form>
    </Section>
  );
}
