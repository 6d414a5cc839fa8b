/** What the console reports when the server does not respond, or without a reason. */

export const unreachable = 'The server can’t be reached. Check the connection and try again.';
export const unexpectedStatus = (status: number): string => `The server responded with status ${status}.`;
