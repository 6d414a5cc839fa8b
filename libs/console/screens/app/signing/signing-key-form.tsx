import type { App, ConfiguredSigningKey } from '@sluice/contracts';
import { api, ApiError } from '../../../api/client';
import { Form, SelectField, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { TYPED_DIGITS } from './other-keys';

type Scheme = ConfiguredSigningKey['scheme'];

const SCHEME_CHOICES: readonly (readonly [Scheme, string])[] = [
  ['pkcs1v15', 'PKCS#1 v1.5 (what openssl dgst -sign makes)'],
  ['pss', 'PSS (for clients that check RSA-PSS)'],
];

interface SigningKeyFormProps {
  readonly app: App;
  readonly present: ConfiguredSigningKey | undefined;
  readonly close: () => void;
}

/** Creates the first signing key, or a new active one next to `present`. */
export function SigningKeyForm({ app, present, close }: SigningKeyFormProps) {
  const isFirst = present === undefined;
  const { form, field } = useForm(
    { name: present?.name ?? 'default', scheme: present?.scheme ?? 'pkcs1v15', expected_fingerprint: '' },
    async ({ expected_fingerprint: typed, ...wish }) => {
      if (isFirst) return api.post(`/apps/${app.id}/signing-key`, wish);
      const digits = typed.trim().toLowerCase();
      if (digits.length < TYPED_DIGITS || !present.fingerprint.startsWith(digits)) throw notTheFingerprint();
      const body = { ...wish, expected_fingerprint: present.fingerprint };
      return api.post(`/apps/${app.id}/signing-key/rotate`, body);
    },
    {
      refresh: [
        ['signing-key', app.id],
        ['history', app.id],
      ],
      said: isFirst ? 'Builds are signed from now on.' : 'Builds are signed with both keys from now on.',
      done: close,
    },
  );
  return (
    <Form {...form} verb={isFirst ? 'Make the key' : 'Rotate'} danger={!isFirst} cancel={close}>
      {!isFirst && (
        <div className="note warn">
          <p>
            The current key continues to sign, so that installed apps, which trust only that key, keep accepting
            updates. Ship the new public key in your next native release, and retire this key once no older release is
            in use.
          </p>
          <p>Builds that are signed already keep their signatures.</p>
          <p>
            Fingerprint of the key of today: <code>{present.fingerprint}</code>
          </p>
        </div>
      )}
      <TextField {...field('name')} label="Name" required />
      <SelectField
        {...field('scheme')}
        label="Scheme"
        help="What the client in your app checks. Both are RSA with SHA-256."
        options={SCHEME_CHOICES}
      />
      {!isFirst && (
        <TextField
          {...field('expected_fingerprint')}
          label={`First ${TYPED_DIGITS} digits of the fingerprint`}
          help="So that you rotate the key that you mean."
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Form>
  );
}

function notTheFingerprint(): ApiError {
  const fault = `Type the first ${TYPED_DIGITS} digits of the fingerprint above.`;
  return new ApiError({
    ...{ status: 422, code: 'VALIDATION_FAILED', message: fault },
    fields: { expected_fingerprint: [fault] },
  });
}
