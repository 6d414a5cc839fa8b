import { devicePlane } from '../../services/device-updates/http/openapi';
import { PLANES } from '../../services/gateway/openapi/planes';

/** Every plane, by the name of its description. */
export const ALL_PLANES = { ...PLANES, device: devicePlane };
