import type { App, BuildPlatform, Channel, Ring } from '@sluice/contracts';
import { useMemo, useState } from 'react';
import { ApiError } from '../../../api/client';
import { bind } from '../../../parts/bind';
import { Form, SelectField, TextArea, TextField } from '../../../parts/form';
import { Loading } from '../../../parts/states';
import * as texts from '../../../texts/build-dialogs';
import { platforms } from '../../../texts/shared';
import { channelsOf, useBuilds } from '../../builds/data';
import { FileField } from './file-field';
import { atAudienceFields, AudienceFields, RingField, useAudience } from './audience';
import { useStartPageWarning } from './start-page';
import { MandatoryField } from './mandatory-field';
import { NATIVE_FIELDS, NativeFields } from './native-fields';
import { RolloutField, useRollout } from './rollout-field';
import { useErrorTexts } from './error-texts';
import { compareVersions } from '../../builds/versions';
import type { Upload } from './use-upload';
import { useVersionError, WhatChanges } from './what-changes';

const CAUSES = { VERSION_ALREADY_EXISTS: 'version', VERSION_NOT_NEWER: 'version', PAYLOAD_TOO_LARGE: 'file' };

const PLATFORMS: readonly (readonly [BuildPlatform, string])[] = [
  ['all', texts.anyPlatform],
  ['ios', platforms.ios],
  ['android', platforms.android],
];

const EMPTY = {
  ...{ release_notes: '', min_native_version: '', native_range: '', fingerprint: '', mandatory: false, signature: '' },
  platform: 'all' as BuildPlatform,
};

interface Props {
  readonly app: App;
  readonly channel: Channel;
  readonly setChannel: (channel: Channel) => void;
  /** The one that was dropped. */
  readonly file: File | undefined;
  readonly upload: Upload;
  readonly cancel: () => void;
}

/** The file and the settings of an upload. */
export function UploadForm(props: Props) {
  const { app, channel } = props;
  const newest = useBuilds(app, { channel });
  if (newest.isPending) return <Loading what={texts.loadingVersions} />;
  const versions = newest.data?.data.filter(({ status }) => status !== 'failed').map(({ version }) => version) ?? [];
  return <Fields {...props} head={versions.sort(compareVersions).at(-1)} />;
}

function Fields(props: Props & { readonly head: string | undefined }) {
  const { app, channel, setChannel, upload, cancel, head } = props;
  const [file, setFile] = useState(props.file);
  // Suggested until a person enters another one.
  const [written, setVersion] = useState<string>();
  const version = written ?? versionIn(file) ?? following(head);
  const [draft, setDraft] = useState(EMPTY);
  const change = (changes: Partial<typeof draft>): void => setDraft({ ...draft, ...changes });
  const field = bind(draft, change);
  const native = {
    min_native_version: draft.min_native_version.trim(),
    ...{ native_range: draft.native_range.trim(), fingerprint: draft.fingerprint.trim(), platform: draft.platform },
  };
  const rollout = useRollout(app, channel);
  const { audience, ...chosen } = useAudience();
  const [ring, setRing] = useState<Ring>('per_build');
  const [isMore, setMore] = useState(false);
  const error = useErrorTexts(
    useMemo(() => atAudienceFields(upload.error), [upload.error]),
    CAUSES,
  );
  // A fault must be visible at its field.
  const faults = error instanceof ApiError ? Object.keys(error.fields) : [];
  const isFaultyMore = faults.some(
    (name) => /^(audience|platform|signature)/.test(name) || NATIVE_FIELDS.some((field) => field === name),
  );

  const submit = (): void => {
    const form = new FormData();
    const fields = {
      version: version.trim(),
      channel,
      release_notes: draft.release_notes,
      ...native,
      mandatory: String(draft.mandatory),
      signature: draft.signature.replace(/\s/g, ''),
    };
    for (const [name, value] of Object.entries(fields)) if (value !== '') form.set(name, value);
    for (const [name, value] of Object.entries(rollout.body)) form.set(name, String(value));
    if (audience !== null) form.set('audience', JSON.stringify(audience));
    if (/^stable$/.test(ring)) form.set('ring', ring);
    if (file !== undefined) form.set('file', file);
    upload.send(form, fields.version);
  };
  const warning = useStartPageWarning(file);
  const choose = (next: File | undefined): void => {
    setFile(next);
    upload.forget();
    if (versionIn(next) !== undefined) setVersion(undefined);
  };
  const isVersion = /^\d+\.\d+\.\d+$/.test(version.trim());
  const taken = useVersionError(app, channel, isVersion ? version.trim() : undefined, draft.platform);
  const versionHelp = head === undefined ? texts.versionHelp : texts.versionAbove(channel, head);
  return (
    <Form submit={submit} busy={upload.sending !== undefined} error={error} verb={texts.upload} cancel={cancel}>
      <div className="upload-form">
        <div className="form">
          <FileField label={texts.bundle} file={file} change={choose}>
            {warning !== undefined && (
              <p className="note warn" role="status">
                {warning}
              </p>
            )}
          </FileField>
          <div className="pair">
            <SelectField
              name="channel"
              label={texts.channel}
              value={channel}
              change={(next) => {
                setChannel(next);
                upload.forget();
              }}
              options={channelsOf(app)}
            />
            <TextField
              name="version"
              label={texts.version}
              required
              value={version}
              change={setVersion}
              help={taken === undefined ? versionHelp : <VersionFault words={taken} />}
            />
          </div>
          <TextArea {...field('release_notes')} label={texts.releaseNotes} rows={2} help={texts.releaseNotesHelp} />
          <RolloutField channel={channel} rollout={rollout} min={1} help={texts.rolloutHelp} />
          <MandatoryField {...field('mandatory')} />
          <details
            className="more"
            open={isMore || isFaultyMore}
            onToggle={({ currentTarget }) => setMore(currentTarget.open)}
          >
            <summary>{texts.more}</summary>
            <div className="form">
              <SelectField
                {...field('platform')}
                label={texts.platform}
                help={texts.platformHelp}
                options={PLATFORMS}
              />
              <AudienceFields app={app} {...chosen} />
              <RingField value={ring} change={setRing} />
              <NativeFields field={field} change={change} />
              <TextArea {...field('signature')} label={texts.signature} rows={2} help={texts.signatureHelp} />
            </div>
          </details>
        </div>
        <div className="consequences">
          {isVersion && taken === undefined && Number.isInteger(rollout.percentage) ? (
            <WhatChanges
              app={app}
              channel={channel}
              coming={{
                version: version.trim(),
                rollout: rollout.percentage,
                mandatory: draft.mandatory,
                audience,
                native: {
                  ...{
                    min_native_version: native.min_native_version || null,
                    native_range: native.native_range || null,
                  },
                  ...{ fingerprint: native.fingerprint || null, platform: draft.platform },
                },
              }}
            />
          ) : (
            <p className="note info">{texts.effectLater}</p>
          )}
        </div>
      </div>
    </Form>
  );
}

const VersionFault = ({ words }: { readonly words: string }) => (
  <span className="fault" role="status">
    {words}
  </span>
);

/** Such as 1.4.0 in `shop-1.4.0.zip`. */
function versionIn(file: File | undefined): string | undefined {
  return /(?<![\d.])\d+\.\d+\.\d+(?!\.?\d)/.exec(file?.name ?? '')?.[0];
}

/** The next patch of a version, or the first of all. */
function following(version: string | undefined): string {
  if (version === undefined) return '1.0.0';
  const [major, minor, patch] = version.split('.').map(Number);
  return `${major}.${minor}.${(patch ?? 0) + 1}`;
}
