import type { ComponentProps } from 'react';
import { CheckField } from '../../../parts/form';

export function MandatoryField(field: Pick<ComponentProps<typeof CheckField>, 'name' | 'value' | 'change'>) {
  return <CheckField {...field} label="Mandatory" help="Devices have to install it before they continue." />;
}
