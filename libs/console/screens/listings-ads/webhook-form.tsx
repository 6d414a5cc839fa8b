import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReplyOf, saveWebhook } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../api/client';
import { Form, SelectField, TextField } from '../../parts/form';
import { say } from '../../parts/toasts';
import { LISTINGS } from './queries';

type Secret = 'keep' | 'new' | 'own';

/** `saved` is told the secret where one was made. */
export function WebhookForm({
  url,
  saved,
}: {
  readonly url: string | null;
  readonly saved: (secret: string | undefined) => void;
}) {
  const [address, setAddress] = useState(url ?? '');
  const [choice, setChoice] = useState<Secret>(url === null ? 'new' : 'keep');
  const [own, setOwn] = useState('');
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      api.put<ReplyOf<typeof saveWebhook>>('/listings/webhook', {
        url: address,
        ...(choice === 'new' && { secret: null }),
        ...(choice === 'own' && { secret: own }),
      }),
    onSuccess: ({ secret }) => {
      saved(secret);
      setChoice('keep');
      setOwn('');
      say('The webhook is saved.');
      return client.invalidateQueries({ queryKey: [LISTINGS] });
    },
  });
  const options: (readonly [Secret, string])[] = [
    ['new', 'Make a new one and show it once'],
    ['own', 'Use my own'],
  ];
  if (url !== null) options.unshift(['keep', 'Keep the one there is']);
  return (
    <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb="Save the webhook">
      <TextField
        name="url"
        label="Address"
        required
        placeholder="https://hooks.example/sluice"
        help="An https address, or an http address of this machine. Hooks are sent from now on, nothing of the past."
        value={address}
        change={setAddress}
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
          name="secret"
          label="My secret"
          type="password"
          autoComplete="off"
          required
          help="16 to 200 characters."
          value={own}
          change={setOwn}
        />
      )}
    </Form>
  );
}
