import type { ComponentProps } from 'react';
import { CheckField } from '../../../parts/form';
import * as texts from '../../../texts/build-dialogs';

export function MandatoryField(field: Pick<ComponentProps<typeof CheckField>, 'name' | 'value' | 'change'>) {
  return <CheckField {...field} label={texts.mandatory} help={texts.mandatoryHelp} />;
}
