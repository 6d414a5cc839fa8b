import type { App } from '@sluice/contracts';
import { useLocation } from 'wouter';
import { api } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { CheckField, Form, SelectField, TextArea, TextField } from '../../../parts/form';
import { Facts, Section } from '../../../parts/page';
import { useDialog, useForm } from '../../../parts/send';
import { Copyable, Time } from '../../../parts/values';
import { PLATFORMS } from './platforms';
import { OldBuilds } from './old-builds';

/** What an app says of itself, and its end. */
export function AppSettings({ app }: { readonly app: App }) {
  return (
    <>
      <Section title="Identity">
        <Facts
          facts={{
            'App id': <Copyable text={app.app_id} label="the app id" />,
            Number: app.id,
            'Bundle id': app.bundle_id ?? <span className="dim">none</span>,
            Made: <Time at={app.created_at} />,
          }}
        />
      </Section>
      <Edit app={app} />
      <Signatures app={app} />
      <OldBuilds app={app} />
      <Removal app={app} />
    </>
  );
}

function Edit({ app }: { readonly app: App }) {
  const { form, field } = useForm(
    { name: app.name, platform: app.platform, description: app.description ?? '' },
    (wish) =>
      api.patch<App>(`/apps/${app.id}`, { ...wish, description: wish.description === '' ? null : wish.description }),
    { refresh: [['apps'], ['overview']], said: 'Saved.' },
  );
  return (
    <Section title="Name and platform">
      <Form {...form} verb="Save">
        <TextField {...field('name')} label="Name" required />
        <SelectField
          {...field('platform')}
          label="Platform"
          help="Devices of another platform are offered none of its builds."
          options={PLATFORMS}
        />
        <TextArea {...field('description')} label="Description (optional)" />
      </Form>
    </Section>
  );
}

function Signatures({ app }: { readonly app: App }) {
  const { form, field } = useForm(
    { signing_key_rotation: app.signing_key_rotation, unique_signatures: app.unique_signatures },
    (wish) => api.patch<App>(`/apps/${app.id}`, wish),
    { refresh: [['apps']], said: 'Saved.' },
  );
  return (
    <Section title="Signatures">
      <Form {...form} verb="Save the signature rules">
        <SelectField
          {...field('signing_key_rotation')}
          label="Who may make, rotate and retire signing keys"
          options={[
            ['any_token', 'You, and every access token of the app'],
            ['owner_only', 'You alone'],
          ]}
        />
        <CheckField
          {...field('unique_signatures')}
          label="Take each signature for one version only"
          help="An upload is rejected when another version carries its signature, so that an old signed bundle can’t come back as a new version."
        />
      </Form>
    </Section>
  );
}

function Removal({ app }: { readonly app: App }) {
  const removal = useDialog();
  const [, go] = useLocation();
  const remove = async (): Promise<void> => {
    await api.delete(`/apps/${app.id}`);
    go('/apps');
  };
  return (
    <Section title="Delete this app">
      <p>
        This permanently deletes its builds, bundles and API keys. Devices that have the app keep the bundle that they
        run, and get no more updates. Only its history is kept.
      </p>
      <div>
        <Button kind="danger" onClick={() => removal.show(true)}>
          Delete the app …
        </Button>
      </div>
      <Confirm
        title={`Delete ${app.name}?`}
        verb="Delete permanently"
        typed={app.app_id}
        {...removal.dialog}
        confirm={remove}
        refresh={[['overview']]}
        said={`${app.name} is deleted.`}
      >
        <p>
          This can’t be taken back. Every build, its bundle, and every API key of {app.name} are deleted; installed apps
          can no longer ask for updates.
        </p>
      </Confirm>
    </Section>
  );
}
