//! Edited scenes with filters: objects are inserted, changed and removed, and after each step a query with a layer mask, an
//! excluded object, triggers and a filter of hits must have the exact answer, in the scene and in a snapshot of the step before.
//!
//! # Method
//! A scene is the list of its objects in the order of insertion ([`history`]). The exact hits of each, found as for single
//! shapes, are compared as surds; of equal ones the object inserted first comes first ([`judge`]).

pub mod history;
pub mod judge;
pub mod library;
