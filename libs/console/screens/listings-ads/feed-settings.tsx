import { useQueryClient } from '@tanstack/react-query';
import type { FeedSettings } from '@sluice/contracts';
import { ApiError } from '../../api/client';
import { bind } from '../../parts/bind';
import { CheckField, Form, SelectField, TextField } from '../../parts/form';
import { Section } from '../../parts/page';
import { useSend } from '../../parts/send';
import * as texts from '../../texts/listings/settings';
import { CategoryFields } from './category-fields';
import { changed, useDraft } from './draft';
import { feedDraftOf, feedSettingsOf, type Part } from './feed-draft';
import { usePlane } from './plane';
import { LISTINGS, SHOP } from './queries';
import { ShippingFields } from './shipping-fields';
import { TaxFields } from './tax-fields';

const CHANNELS = [
  ['online', texts.online],
  ['local', texts.local],
] as const;

const countries = new Intl.DisplayNames(undefined, { type: 'region' });
const languages = new Intl.DisplayNames(undefined, { type: 'language' });

/** The name of a code; empty if it is unknown. */
function nameOf(code: string, names: Intl.DisplayNames): string {
  try {
    const name = names.of(code);
    return name === undefined || name === code ? '' : name;
  } catch {
    return '';
  }
}

export function FeedSettingsForm({ saved }: { readonly saved: FeedSettings }) {
  const { draft, from, change, restart } = useDraft(saved, feedDraftOf);
  const plane = usePlane();
  const client = useQueryClient();
  const save = useSend(() => plane.post<FeedSettings>('/feed/settings', changed(from, feedSettingsOf(draft))), {
    refresh: [[SHOP]],
    toast: texts.feedSaved,
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
      // After rows are added or removed, faults would appear at other rows.
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
    <Section title={texts.feedSettings}>
      <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb={texts.saveFeed}>
        <div className="field-grid">
          <TextField
            name="target_country"
            label={texts.country}
            required
            maxLength={2}
            value={draft.target_country}
            change={(value) => change({ target_country: value.toUpperCase() })}
            help={texts.countryHelp(nameOf(draft.target_country, countries))}
          />
          <TextField
            name="content_language"
            label={texts.language}
            required
            maxLength={2}
            value={draft.content_language}
            change={(value) => change({ content_language: value.toLowerCase() })}
            help={texts.languageHelp(nameOf(draft.content_language, languages))}
          />
          <SelectField {...field('channel')} label={texts.channel} options={CHANNELS} />
        </div>
        <CheckField {...field('include_variations')} label={texts.variations} help={texts.variationsHelp} />
        <CheckField {...field('include_out_of_stock')} label={texts.outOfStock} help={texts.outOfStockHelp} />
        <ShippingFields {...part} />
        <TaxFields {...part} />
        <CategoryFields {...part} />
      </Form>
    </Section>
  );
}
