import type { Projection } from '@sluice/document-store';
import { merchantSettingsProjection } from './merchant-settings.projection';

export const projections: readonly Projection[] = [merchantSettingsProjection];
