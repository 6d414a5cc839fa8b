/** The listing statuses, in the order of the overview. */
export const STATUSES = ['approved', 'pending', 'expiring', 'disapproved'] as const;
