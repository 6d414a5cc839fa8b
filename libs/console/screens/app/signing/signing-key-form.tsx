import type { App, ConfiguredSigningKey } from '@sluice/contracts';
import { api, ApiError } from '../../../api/client';
import { Form, SelectField, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import * as texts from '../../../texts/signing';
import { TYPED_DIGITS } from './other-keys';

type Scheme = ConfiguredSigningKey['scheme'];

const SCHEME_CHOICES: readonly (readonly [Scheme, string])[] = [
  ['pkcs1v15', texts.schemeChoices.pkcs1v15],
  ['pss', texts.schemeChoices.pss],
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
    async ({ expected_fingerprint: typed, ...settings }) => {
      if (isFirst) return api.post(`/apps/${app.id}/signing-key`, settings);
      const digits = typed.trim().toLowerCase();
      if (digits.length < TYPED_DIGITS || !present.fingerprint.startsWith(digits)) throw notTheFingerprint();
      const body = { ...settings, expected_fingerprint: present.fingerprint };
      return api.post(`/apps/${app.id}/signing-key/rotate`, body);
    },
    {
      refresh: [
        ['signing-key', app.id],
        ['history', app.id],
      ],
      toast: isFirst ? texts.keyCreated : texts.keyRotated,
      done: close,
    },
  );
  return (
    <Form {...form} verb={isFirst ? texts.create : texts.rotate} danger={!isFirst} cancel={close}>
      {!isFirst && (
        <div className="note warn">
          <p>{texts.rotateEffect}</p>

          <p>{texts.currentFingerprint(present.fingerprint)}</p>
        </div>
      )}
      <TextField {...field('name')} label={texts.name} required />
      <SelectField {...field('scheme')} label={texts.scheme} help={texts.schemeHelp} options={SCHEME_CHOICES} />
      {!isFirst && (
        <TextField
          {...field('expected_fingerprint')}
          label={texts.firstDigits(TYPED_DIGITS)}
          help={texts.firstDigitsHelp}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Form>
  );
}

function notTheFingerprint(): ApiError {
  const fault = texts.otherFingerprint(TYPED_DIGITS);
  return new ApiError({
    ...{ status: 422, code: 'VALIDATION_FAILED', message: fault },
    fields: { expected_fingerprint: [fault] },
  });
}
