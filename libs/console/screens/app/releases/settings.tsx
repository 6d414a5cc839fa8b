import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { App, Platform } from '@sluice/contracts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { CheckField, Form, SelectField, TextArea, TextField } from '../../../parts/form';
import { Facts, Section } from '../../../parts/page';
import { say } from '../../../parts/toasts';
import { Copyable, Time } from '../../../parts/values';
import { PLATFORMS } from './platforms';
import { OldBuilds } from './old-builds';

/** What an app says of itself, and its end. */
export function AppSettings({ app }: { readonly app: App }) {
  return (
    <>
      <Section title="Identity">
        <Facts
          facts={[
            ['App id', <Copyable key="app" text={app.app_id} label="the app id" />],
            ['Number', app.id],
            ['Bundle id', app.bundle_id ?? <span className="dim">none</span>],
            ['Made', <Time key="made" at={app.created_at} />],
          ]}
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
  const client = useQueryClient();
  const [name, setName] = useState(app.name);
  const [platform, setPlatform] = useState<Platform>(app.platform);
  const [description, setDescription] = useState(app.description ?? '');
  const save = useMutation({
    mutationFn: () =>
      api.patch<App>(`/apps/${app.id}`, { name, platform, description: description === '' ? null : description }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['apps'] });
      void client.invalidateQueries({ queryKey: ['overview'] });
      say('Saved.');
    },
  });
  return (
    <Section title="Name and platform">
      <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb="Save">
        <TextField name="name" label="Name" required value={name} change={setName} />
        <SelectField
          name="platform"
          label="Platform"
          help="Devices of another platform are offered none of its builds."
          value={platform}
          change={setPlatform}
          options={PLATFORMS}
        />
        <TextArea name="description" label="Description (optional)" value={description} change={setDescription} />
      </Form>
    </Section>
  );
}

function Signatures({ app }: { readonly app: App }) {
  const client = useQueryClient();
  const [rotation, setRotation] = useState(app.signing_key_rotation);
  const [isUnique, setUnique] = useState(app.unique_signatures);
  const save = useMutation({
    mutationFn: () =>
      api.patch<App>(`/apps/${app.id}`, { signing_key_rotation: rotation, unique_signatures: isUnique }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['apps'] });
      say('Saved.');
    },
  });
  return (
    <Section title="Signatures">
      <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb="Save the signature rules">
        <SelectField
          name="signing_key_rotation"
          label="Who may make, rotate and retire signing keys"
          value={rotation}
          change={setRotation}
          options={[
            ['any_token', 'You, and every access token of the app'],
            ['owner_only', 'You alone'],
          ]}
        />
        <CheckField
          name="unique_signatures"
          label="Take each signature for one version only"
          help="An upload is rejected when another version carries its signature, so that an old signed bundle can’t come back as a new version."
          checked={isUnique}
          change={setUnique}
        />
      </Form>
    </Section>
  );
}

function Removal({ app }: { readonly app: App }) {
  const [isAsked, setAsked] = useState(false);
  const [, go] = useLocation();
  const client = useQueryClient();
  const remove = async (): Promise<void> => {
    await api.delete(`/apps/${app.id}`);
    void client.invalidateQueries({ queryKey: ['overview'] });
    say(`${app.name} is deleted.`);
    go('/apps');
  };
  return (
    <Section title="Delete this app">
      <p>
        Its builds, bundles and API keys go with it, for ever: devices that have it keep what they run, and get nothing
        more. Only its history stays.
      </p>
      <div>
        <Button kind="danger" onClick={() => setAsked(true)}>
          Delete the app …
        </Button>
      </div>
      <Confirm
        title={`Delete ${app.name}?`}
        verb="Delete for ever"
        typed={app.app_id}
        open={isAsked}
        close={() => setAsked(false)}
        confirm={remove}
      >
        <p>
          This can’t be taken back. Every build, its bundle, and every API key of {app.name} are deleted; installed apps
          can no longer ask for updates.
        </p>
      </Confirm>
    </Section>
  );
}
