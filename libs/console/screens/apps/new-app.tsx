import type { App, Platform } from '@sluice/contracts';
import { useLocation } from 'wouter';
import { api } from '../../api/client';
import { Modal } from '../../parts/dialog';
import { Form, SelectField, TextArea, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import { PLATFORMS } from '../app/releases/platforms';
import { useErrorTexts } from '../app/releases/error-texts';
import * as texts from '../../texts/apps';

const CAUSES = { BUNDLE_ID_TAKEN: 'bundle_id' };

export function NewApp({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const [, go] = useLocation();
  const { form, field } = useForm(
    { name: '', platform: 'both' as Platform, bundle_id: '', description: '' },
    ({ name, platform, ...optional }) => {
      const given = Object.entries(optional).filter(([, text]) => text !== '');
      return api.post<App>('/apps', { name, platform, ...Object.fromEntries(given) });
    },
    {
      refresh: [['overview']],
      done: (app) => {
        close();
        go(`/apps/${app.id}`);
      },
    },
  );
  const error = useErrorTexts(form.error, CAUSES);
  return (
    <Modal title={texts.newApp} open={open} close={close}>
      <Form {...form} error={error} verb={texts.create} cancel={close}>
        <TextField {...field('name')} label={texts.name} required />
        <SelectField {...field('platform')} label={texts.platform} options={PLATFORMS} />
        <TextField
          {...field('bundle_id')}
          label={texts.bundleId}
          placeholder={texts.bundleIdExample}
          help={texts.bundleIdHelp}
        />
        <TextArea {...field('description')} label={texts.description} />
      </Form>
    </Modal>
  );
}
