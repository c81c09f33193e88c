/** The project that people try deployments with. */
export interface Demo {
  /** Address of its repository on this machine; null when there is none. */
  repository(): Promise<string | null>;
}
