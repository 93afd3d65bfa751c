#![no_std]
//! no_std proof
