// Named moments at which a test may kill the process. In the product it does nothing.
/** "append:before", "append:after", "snapshot:before", "snapshot:after", "record:before", "record:after", "child:before",
 *  "child:after", "commit:before", "commit:intent", "commit:moved", "commit:after", "create:before", "create:after", "lock:after",
 *  "rename:before", "rename:file", "rename:after". */
export type FailPoint = (name: string) => void;
