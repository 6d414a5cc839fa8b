import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiKey, App } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../../api/client';
import { Form, TextField } from '../../../parts/form';

/** A key as it is answered the one time that its plaintext is. */
export type NewKey = Pick<ApiKey, 'id' | 'name'> & { readonly plaintext_key: string };

/** The form of a new key. `full`: as many keys are active as may be. */
export function MakeKey({
  app,
  full,
  close,
  made,
}: {
  readonly app: App;
  readonly full: boolean;
  readonly close: () => void;
  readonly made: (key: NewKey) => void;
}) {
  const [name, setName] = useState('');
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: () => api.post<NewKey>(`/apps/${app.id}/api-keys`, { name }),
    // The key stays in no cache.
    gcTime: 0,
    onSuccess: (key) => {
      void client.invalidateQueries({ queryKey: ['keys', app.id] });
      made(key);
    },
  });
  return (
    <Form submit={() => make.mutate()} busy={make.isPending} error={make.error} verb="Make the key" cancel={close}>
      {full && (
        <div className="note warn">
          <p>
            Three keys are active, and no app may have more. Deprecate one first: it goes on working, and makes room.
          </p>
        </div>
      )}
      <TextField
        name="name"
        label="Name"
        help="Where it is built in, such as “iOS and Android” or “Web preview”."
        required
        value={name}
        change={setName}
      />
    </Form>
  );
}
