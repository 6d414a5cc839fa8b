import type { ReplyOf, saveWebhook } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../api/client';
import { Form, SelectField, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import * as texts from '../../texts/listings/webhook';
import { LISTINGS } from './queries';

type Secret = 'keep' | 'new' | 'own';

interface WebhookFormProps {
  readonly url: string | null;
  readonly saved: (secret: string | undefined) => void;
}

/** `saved` is called with the secret if a new one was created. */
export function WebhookForm({ url, saved }: WebhookFormProps) {
  const [choice, setChoice] = useState<Secret>(url === null ? 'new' : 'keep');
  const { form, field, change } = useForm(
    { url: url ?? '', secret: '' },
    (input) =>
      api.put<ReplyOf<typeof saveWebhook>>('/listings/webhook', {
        url: input.url,
        ...(choice === 'new' && { secret: null }),
        ...(choice === 'own' && { secret: input.secret }),
      }),
    {
      refresh: [[LISTINGS]],
      awaited: true,
      toast: texts.saved,
      done: ({ secret }) => {
        saved(secret);
        setChoice('keep');
        change({ secret: '' });
      },
    },
  );
  const options: (readonly [Secret, string])[] = [
    ['new', texts.newSecret],
    ['own', texts.ownSecret],
  ];
  if (url !== null) options.unshift(['keep', texts.keepSecret]);
  return (
    <Form {...form} verb={texts.save}>
      <TextField
        {...field('url')}
        label={texts.address}
        required
        placeholder={texts.addressHint}
        help={texts.addressHelp}
      />
      <SelectField
        name={choice === 'own' ? 'secret_choice' : 'secret'}
        label={texts.secret}
        help={texts.secretHelp}
        value={choice}
        change={setChoice}
        options={options}
      />
      {choice === 'own' && (
        <TextField
          {...field('secret')}
          label={texts.yourSecret}
          type="password"
          autoComplete="off"
          required
          help={texts.yourSecretHelp}
        />
      )}
    </Form>
  );
}
