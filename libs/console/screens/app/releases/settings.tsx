import type { App } from '@sluice/contracts';
import { useLocation } from 'wouter';
import { api } from '../../../api/client';
import { Button } from '../../../parts/button';
import { CheckField, Form, SelectField, TextArea, TextField } from '../../../parts/form';
import { Facts, Section } from '../../../parts/page';
import { useForm, useFreshDialog } from '../../../parts/send';
import { Copyable, Time } from '../../../parts/values';
import { ConcurrentChanges, ConfirmChange, type Watched, type WatchedKind } from '../../../parts/watched';
import * as texts from '../../../texts/app-settings';
import { yesOrNo } from '../../../texts/shared';
import { Attributes } from './attributes';
import { OldBuilds } from './old-builds';
import { PLATFORMS } from './platforms';
import { useWatchedApp, watchedApp } from './watched-app';

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
  const { draft, change, form, field } = useForm(
    () => detailsOf(app),
    (details) => api.patch<App>(`/apps/${app.id}`, toDetails(details), watched.seen.revision),
    {
      refresh: [['apps'], ['overview']],
      evenOnError: true,
      toast: texts.saved,
      done: (saved) => watched.accept(saved),
    },
  );
  const watched: Watched<App> = useWatchedApp(app, DETAILS, form.busy);
  return (
    <Section title={texts.nameAndPlatform}>
      <Form {...form} error={watched.judge(form.error)} verb={texts.save}>
        <TextField {...field('name')} label={texts.name} required />
        <SelectField {...field('platform')} label={texts.platform} help={texts.platformHelp} options={PLATFORMS} />
        <TextArea {...field('description')} label={texts.description} />
        <ConcurrentChanges of={watched} form={{ draft, draftOf: detailsOf, change, mine: toDetails(draft) }} />
      </Form>
    </Section>
  );
}

const DETAILS: WatchedKind<App>['fields'] = [
  ['name', texts.name, ({ name }) => name],
  ['platform', texts.platform, ({ platform }) => PLATFORMS.find(([of]) => of === platform)?.[1] ?? platform],
  ['description', texts.descriptionName, ({ description }) => description ?? texts.none],
];

const detailsOf = ({ name, platform, description }: App) => ({ name, platform, description: description ?? '' });

const toDetails = ({ description, ...rest }: ReturnType<typeof detailsOf>) => ({
  ...{ ...rest, description: description === '' ? null : description },
});

function Signatures({ app }: { readonly app: App }) {
  const { draft, change, form, field } = useForm(
    () => signaturesOf(app),
    (rules) => api.patch<App>(`/apps/${app.id}`, rules, watched.seen.revision),
    { refresh: [['apps']], evenOnError: true, toast: texts.saved, done: (saved) => watched.accept(saved) },
  );
  const watched: Watched<App> = useWatchedApp(app, SIGNATURES, form.busy);
  return (
    <Section title={texts.signatures}>
      <Form {...form} error={watched.judge(form.error)} verb={texts.saveSignatures}>
        <SelectField {...field('signing_key_rotation')} label={texts.keyManagers} options={KEY_MANAGERS} />
        <CheckField {...field('unique_signatures')} label={texts.uniqueSignatures} help={texts.uniqueSignaturesHelp} />
        <ConcurrentChanges of={watched} form={{ draft, draftOf: signaturesOf, change, mine: draft }} />
      </Form>
    </Section>
  );
}

const KEY_MANAGERS: readonly (readonly [App['signing_key_rotation'], string])[] = [
  ['any_token', texts.anyToken],
  ['owner_only', texts.ownerOnly],
];

const SIGNATURES: WatchedKind<App>['fields'] = [
  [
    'signing_key_rotation',
    texts.keyManagers,
    ({ signing_key_rotation: of }) => KEY_MANAGERS.find(([each]) => each === of)?.[1] ?? of,
  ],
  ['unique_signatures', texts.uniqueSignatures, ({ unique_signatures: unique }) => yesOrNo(unique)],
];

const signaturesOf = ({ signing_key_rotation, unique_signatures }: App) => ({
  signing_key_rotation,
  unique_signatures,
});

function DeleteApp({ app }: { readonly app: App }) {
  const { shown, show, dialog } = useFreshDialog<App>();
  const [, go] = useLocation();
  const kind = watchedApp(app, DETAILS);
  const remove = async (revision: number): Promise<void> => {
    await api.delete(kind.path, revision);
    go('/apps');
  };
  return (
    <Section title={texts.deleteSection}>
      <p>{texts.deleteHelp}</p>
      <div>
        <Button kind="danger" onClick={() => show(app)}>
          {texts.deleteApp}
        </Button>
      </div>
      {shown.about !== undefined && (
        <ConfirmChange
          key={shown.key}
          thing={shown.about}
          kind={kind}
          title={texts.deleteTitle(app.name)}
          verb={texts.deletePermanently}
          typed={app.app_id}
          {...dialog}
          confirm={remove}
          refresh={[['overview']]}
          toast={texts.deleted(app.name)}
        >
          <p>{texts.deleteEffect(app.name)}</p>
        </ConfirmChange>
      )}
    </Section>
  );
}
