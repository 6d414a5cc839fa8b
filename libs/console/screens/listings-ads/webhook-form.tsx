import type { ReplyOf, saveWebhook } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../api/client';
import { Form, SelectField, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import { LISTINGS } from './queries';

type Secret = 'keep' | 'new' | 'own';

interface WebhookFormProps {
  readonly url: string | null;
  readonly saved: (secret: string | undefined) => void;
}

/** `saved` gets the secret when one was made. */
export function WebhookForm({ url, saved }: WebhookFormProps) {
  const [choice, setChoice] = useState<Secret>(url === null ? 'new' : 'keep');
  const { form, field, change } = useForm(
    { url: url ?? '', secret: '' },
    (wish) =>
      api.put<ReplyOf<typeof saveWebhook>>('/listings/webhook', {
        url: wish.url,
        ...(choice === 'new' && { secret: null }),
        ...(choice === 'own' && { secret: wish.secret }),
      }),
    {
      refresh: [[LISTINGS]],
      awaited: true,
      said: 'The webhook is saved.',
      done: ({ secret }) => {
        saved(secret);
        setChoice('keep');
        change({ secret: '' });
      },
    },
  );
  const options: (readonly [Secret, string])[] = [
    ['new', 'Make a new one and show it once'],
    ['own', 'Use my own'],
  ];
  if (url !== null) options.unshift(['keep', 'Keep the one there is']);
  return (
    <Form {...form} verb="Save the webhook">
      <TextField
        {...field('url')}
        label="Address"
        required
        placeholder="https://hooks.example/sluice"
        help="An https address, or an http address of this machine. Hooks are sent from now on, nothing of the past."
      />
      <SelectField
        name={choice === 'own' ? 'secret_choice' : 'secret'}
        label="Secret"
        help="Every request is signed with it, in the header Sluice-Signature."
        value={choice}
        change={setChoice}
        options={options}
      />
      {choice === 'own' && (
        <TextField
          {...field('secret')}
          label="My secret"
          type="password"
          autoComplete="off"
          required
          help="16 to 200 characters."
        />
      )}
    </Form>
  );
}
