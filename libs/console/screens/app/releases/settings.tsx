import type { App } from '@sluice/contracts';
import { useLocation } from 'wouter';
import { api } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { CheckField, Form, SelectField, TextArea, TextField } from '../../../parts/form';
import { Facts, Section } from '../../../parts/page';
import { useDialog, useForm } from '../../../parts/send';
import { Copyable, Time } from '../../../parts/values';
import * as texts from '../../../texts/app-settings';
import { Attributes } from './attributes';
import { OldBuilds } from './old-builds';
import { PLATFORMS } from './platforms';

/** The settings of an app, and its deletion. */
export function AppSettings({ app }: { readonly app: App }) {
  // An app that is created with a bundle ID has it as its app ID.
  const isSame = app.bundle_id === app.app_id;
  return (
    <>
      <Section title={texts.identity}>
        <Facts
          facts={{
            [isSame ? texts.appIdAndBundleId : texts.appId]: <Copyable text={app.app_id} label={texts.theAppId} />,
            ...(!isSame && {
              [texts.bundleId]:
                app.bundle_id === null ? <span className="dim">{texts.none}</span> : <code>{app.bundle_id}</code>,
            }),
            [texts.number]: app.id,
            [texts.created]: <Time at={app.created_at} />,
          }}
        />
      </Section>
      <Edit app={app} />
      <Attributes app={app} />
      <Signatures app={app} />
      <OldBuilds app={app} />
      <DeleteApp app={app} />
    </>
  );
}

function Edit({ app }: { readonly app: App }) {
  const { form, field } = useForm(
    { name: app.name, platform: app.platform, description: app.description ?? '' },
    ({ description, ...rest }) =>
      api.patch<App>(`/apps/${app.id}`, { ...rest, description: description === '' ? null : description }),
    { refresh: [['apps'], ['overview']], toast: texts.saved },
  );
  return (
    <Section title={texts.nameAndPlatform}>
      <Form {...form} verb={texts.save}>
        <TextField {...field('name')} label={texts.name} required />
        <SelectField {...field('platform')} label={texts.platform} help={texts.platformHelp} options={PLATFORMS} />
        <TextArea {...field('description')} label={texts.description} />
      </Form>
    </Section>
  );
}

function Signatures({ app }: { readonly app: App }) {
  const { form, field } = useForm(
    { signing_key_rotation: app.signing_key_rotation, unique_signatures: app.unique_signatures },
    (rules) => api.patch<App>(`/apps/${app.id}`, rules),
    { refresh: [['apps']], toast: texts.saved },
  );
  return (
    <Section title={texts.signatures}>
      <Form {...form} verb={texts.saveSignatures}>
        <SelectField
          {...field('signing_key_rotation')}
          label={texts.keyManagers}
          options={[
            ['any_token', texts.anyToken],
            ['owner_only', texts.ownerOnly],
          ]}
        />
        <CheckField {...field('unique_signatures')} label={texts.uniqueSignatures} help={texts.uniqueSignaturesHelp} />
      </Form>
    </Section>
  );
}

function DeleteApp({ app }: { readonly app: App }) {
  const removal = useDialog();
  const [, go] = useLocation();
  const remove = async (): Promise<void> => {
    await api.delete(`/apps/${app.id}`);
    go('/apps');
  };
  return (
    <Section title={texts.deleteSection}>
      <p>{texts.deleteHelp}</p>
      <div>
        <Button kind="danger" onClick={() => removal.show(true)}>
          {texts.deleteApp}
        </Button>
      </div>
      <Confirm
        title={texts.deleteTitle(app.name)}
        verb={texts.deletePermanently}
        typed={app.app_id}
        {...removal.dialog}
        confirm={remove}
        refresh={[['overview']]}
        toast={texts.deleted(app.name)}
      >
        <p>{texts.deleteEffect(app.name)}</p>
      </Confirm>
    </Section>
  );
}
