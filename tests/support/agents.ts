/** Moved to the testkit, where the recorder needs it too; for tests that still look for it here. */
export * from '@spool/testkit/agents';
