import type { ApiKey, App } from '@sluice/contracts';
import { api } from '../../../api/client';
import { Form, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import * as texts from '../../../texts/api-keys';

/** A new key; only this response holds its plaintext. */
export type NewKey = Pick<ApiKey, 'id' | 'name'> & { readonly plaintext_key: string };

interface CreateKeyProps {
  readonly app: App;
  readonly full: number | undefined;
  readonly close: () => void;
  readonly made: (key: NewKey) => void;
}

/** The form of a new key. `full`: the limit of active keys, if it is reached. */
export function CreateKey({ app, full, close, made }: CreateKeyProps) {
  const { form, field } = useForm({ name: '' }, (key) => api.post<NewKey>(`/apps/${app.id}/api-keys`, key), {
    refresh: [['keys', app.id]],
    done: made,
  });
  return (
    <Form {...form} verb={texts.create} cancel={close}>
      {full !== undefined && (
        <div className="note warn">
          <p>{texts.limitReached(full)}</p>
        </div>
      )}
      <TextField {...field('name')} label={texts.name} help={texts.nameHelp} required />
    </Form>
  );
}
