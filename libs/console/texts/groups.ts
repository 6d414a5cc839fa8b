/** The texts of device groups, and of the attributes that devices send. */
import { counted } from './shared';

export const title = 'Device groups';
export const help =
  'Named lists of devices. The audience of a build can name them. Device IDs are stored only as keyed hashes, so they can’t be read back.';
export const loading = 'the device groups';
export const none = 'No device groups yet.';
export const name = 'Name';
export const devices = 'Devices';
export const changed = 'Last changed';
export const actions = 'Actions';
export const nameOf = (group: string): string => `The device group ${group}`;
export const actionsFor = (group: string): string => `Actions for the group ${group}`;
export const replace = 'Replace…';
export const remove = 'Delete…';
export const add = 'Add group…';

export const addTitle = 'Add a device group';
export const replaceTitle = (group: string): string => `Replace the group ${group}`;
export const replaceHelp = 'The devices of the file take the place of all devices that are in the group now.';
export const nameExample = 'beta';
export const nameHelp = 'Lower-case letters, digits and hyphens.';
export const file = 'File';
export const fileTypes = '.txt,text/plain';
export const chooseFile = 'Choose a text file';
export const fileHelp = 'One device ID in each line, at most 1,000,000. If any line is wrong, nothing changes.';
export const addVerb = 'Add group';
export const replaceVerb = 'Replace group';
export const progress = 'Upload of the file';
export const stored = (group: string, count: number): string =>
  `Group ${group} has ${counted(count, 'device', 'devices')}.`;

export const removeTitle = (group: string): string => `Delete the group ${group}?`;
export const removeEffect =
  'You can’t undo this. A build whose audience names no other group is then offered to no device.';
export const removeVerb = 'Delete permanently';
export const removed = (group: string): string => `Group ${group} deleted.`;

export const attributes = 'Attributes of devices';
export const attributesHelp =
  'Values that devices send about themselves in update checks, as X-Attr-NAME. The audience of a build can name them. At most 8; others are ignored.';
export const type = 'Type';
export const types = { string: 'Text', version: 'Version' } as const;
/** Such as `os (Version)`. */
export const ofType = (attribute: string, typeName: string): string => `${attribute} (${typeName})`;
export const listed = (entries: readonly string[]): string => entries.join(', ') || 'none';
export const attributeName = (number: number): string => `Attribute ${number}`;
export const attributeExample = 'plan';
export const addAttribute = 'Add an attribute';
export const removeAttribute = 'Remove';
export const removeNumber = (number: number): string => `Remove attribute ${number}`;
export const saveAttributes = 'Save attributes';
export const savedAttributes = 'Attributes saved.';
export const inUse = 'A build whose audience names an attribute that you remove is then offered to no device.';
