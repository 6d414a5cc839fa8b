import type { Projection } from '@sluice/document-store';
import { mappingsProjection } from './mappings.projection';
import { merchantSettingsProjection } from './merchant-settings.projection';
import { syncLogsProjection } from './sync-logs.projection';

export const projections: readonly Projection[] = [merchantSettingsProjection, mappingsProjection, syncLogsProjection];
