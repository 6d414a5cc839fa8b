import type { ApiKey, App } from '@sluice/contracts';
import { api } from '../../../api/client';
import { Form, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';

/** A key as it is answered the one time that its plaintext is. */
export type NewKey = Pick<ApiKey, 'id' | 'name'> & { readonly plaintext_key: string };

interface MakeKeyProps {
  readonly app: App;
  readonly full: boolean;
  readonly close: () => void;
  readonly made: (key: NewKey) => void;
}

/** The form of a new key. `full`: as many keys are active as may be. */
export function MakeKey({ app, full, close, made }: MakeKeyProps) {
  const { form, field } = useForm({ name: '' }, (wish) => api.post<NewKey>(`/apps/${app.id}/api-keys`, wish), {
    refresh: [['keys', app.id]],
    done: made,
  });
  return (
    <Form {...form} verb="Make the key" cancel={close}>
      {full && (
        <div className="note warn">
          <p>
            Three keys are active, and no app may have more. Deprecate one first: it keeps working, and no longer
            counts.
          </p>
        </div>
      )}
      <TextField
        {...field('name')}
        label="Name"
        help="Where it is built in, such as “iOS and Android” or “Web preview”."
        required
      />
    </Form>
  );
}
